import GatehouseAdmin
import GatehouseBase
import GatehouseHTTP
import GatehouseLocal
import GatehouseQueues
import GatehouseServer
import GatehouseTesting
import Testing

/// An administrator, and the server whose users they are.
struct AdminScene: Sendable {
  /// Where the provider is.
  enum Place: Sendable, CaseIterable {
    case inProcess, overHTTP
  }

  let scene: ServerScene
  let admin: AdminAuth
  let wire: Wire

  init(
    _ place: Place = .overHTTP, server: RESTServer = RESTServer(url: "http://localhost"),
    _ adjust: @Sendable (inout LocalOptions) -> Void = { _ in }
  ) async throws {
    let scene = ServerScene {
      $0.enumerationProtection = false
      adjust(&$0)
    }
    self.scene = scene
    wire = Wire(scene)
    var options = AdminOptions()
    options.clocks = scene.clock
    options.server = server
    switch place {
    case .inProcess: admin = AdminAuth(scene.provider, options: options)
    case .overHTTP:
      let account = try ServiceAccount(json: try await KeyFile(scene, tokenURL: "http://localhost/token").text)
      admin = AdminAuth(credential: .serviceAccount(account), options: options, transport: wire)
    }
  }

  /// A user who has signed in, and their ID token.
  func signUp(_ email: String = "ada@example.com") async throws -> (uid: String, idToken: String) {
    let reply = await scene.signUp(email)
    return (try #require(reply["localId"]), reply.idToken)
  }

  func signIn(_ email: String = "ada@example.com") async -> Reply {
    await scene.post(
      "/v1/accounts:signInWithPassword", #"{"email":"\#(email)","password":"correct horse","returnSecureToken":true}"#)
  }
}

/// A transport to a scene's server that counts the requests, and may answer itself.
final class Wire: HTTPTransport {
  private let server: ServerTransport
  private let paths = Lock<[String]>([])
  private let script = Lock<[@Sendable (TransportRequest) -> TransportResponse?]>([])

  init(_ scene: ServerScene) { server = ServerTransport(scene: scene) }

  var clock: ManualClocks { server.scene.clock }

  /// How many requests went to a path that ends so.
  func count(_ suffix: String) -> Int { paths.withLock { $0.filter { $0.hasSuffix(suffix) }.count } }

  /// Has the next request that it answers answered by this.
  func intercept(_ answer: @escaping @Sendable (TransportRequest) -> TransportResponse?) {
    script.withLock { $0.append(answer) }
  }

  func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
    let path = String(request.url.prefix { $0 != "?" })
    paths.withLock { $0.append(path) }
    let answer = script.withLock { script -> TransportResponse? in
      for (index, step) in script.enumerated() {
        guard let answer = step(request) else { continue }
        script.remove(at: index)
        return answer
      }
      return nil
    }
    if let answer { return answer }
    return try await server.send(request)
  }
}

/// Expects that a call is refused with this code, and returns the refusal.
@discardableResult
func expectRefusal<Value>(
  _ code: AuthError.Code, at location: SourceLocation = #_sourceLocation, _ call: () async throws -> Value
) async -> AuthError? {
  let error = await #expect(throws: AuthError.self, sourceLocation: location) { _ = try await call() }
  #expect(error?.code == code, "\(error.map { "\($0)" } ?? "")", sourceLocation: location)
  return error
}
