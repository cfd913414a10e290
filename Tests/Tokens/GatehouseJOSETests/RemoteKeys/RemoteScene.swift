import Dispatch
import GatehouseBase
import GatehouseHTTP
import GatehouseJOSE
import GatehouseTesting

/// A server that publishes keys, clocks that the test controls, and a key set that is fetched from the server.
struct RemoteScene {
  static let url = "https://keys.example.org/jwks.json"

  let clocks = ManualClocks(wall: TokenScene.now)
  let transport: RecordingTransport
  let set: RemoteKeySet

  init(_ options: RemoteKeyOptions = RemoteKeyOptions(), callbackQueue: DispatchQueue = .main) throws {
    transport = RecordingTransport(clocks: clocks)
    set = try RemoteKeySet(
      url: Self.url, transport: transport, clocks: clocks, options: options, callbackQueue: callbackQueue)
  }

  /// The number of requests to the server.
  var asked: Int { transport.requests.count }

  /// Publishes keys by their names from now on.
  func publish(_ keys: [String: PrivateKey], cacheControl: String? = "public, max-age=1000") throws {
    transport.answer(Self.url, try Self.answer(keys, cacheControl: cacheControl))
  }

  func publish(_ text: String, type: String? = "application/json", status: Int = 200) {
    var headers: TransportHeaders = [:]
    if let type { headers.add("Content-Type", type) }
    transport.answer(Self.url, .status(status, headers: headers, body: Array(text.utf8)))
  }

  func fail() { transport.answer(Self.url, .failure(AuthError(.networkError, "no way"))) }

  static func answer(
    _ keys: [String: PrivateKey], cacheControl: String? = "public, max-age=1000"
  ) throws -> RecordingTransport.Answer {
    let set = try JWKSet(
      keys.sorted { $0.key < $1.key }.map { try JWK(.publicKey($0.value.publicKey), keyID: $0.key) })
    var headers: TransportHeaders = ["content-type": "application/jwk-set+json; charset=utf-8"]
    if let cacheControl { headers.add("cache-control", cacheControl) }
    return .status(200, headers: headers, body: set.serialized())
  }

  /// The error with which keys were rejected; `nil` if they were not.
  func refusal() async -> AuthError? {
    await refusal { () async throws(AuthError) in
      _ = try await typed { try await set.keys() }
    }
  }

  /// The error with which a key was rejected; `nil` if it was not.
  func refusal(of keyID: String) async -> AuthError? {
    await refusal { () async throws(AuthError) in _ = try await typed { try await set.key(named: keyID) } }
  }

  func refusal(_ body: () async throws(AuthError) -> Void) async -> AuthError? {
    do {
      try await body()
      return nil
    } catch { return error }
  }
}
