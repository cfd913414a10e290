import GatehouseBase
import GatehouseHTTP
import GatehouseJOSE
import GatehouseTesting
import HangGuard
import Testing

/// The part of group 22 that concerns the response.
@Suite(.endsIfItHangs) struct `A server's answer is refused (group 22)` {
  private static let good = String(decoding: TokenScene.keys.serialized(), as: UTF8.self)

  /// The error with which a response is rejected, first alone and then with cached keys, which must survive.
  private static func reason(
    _ text: String = good, type: String? = "application/json", status: Int = 200, options: RemoteKeyOptions = .init()
  ) async throws -> AuthError.Code? {
    let scene = try RemoteScene(options)
    scene.publish(text, type: type, status: status)
    let error = await scene.refusal()
    #expect(error == nil || error?.code == .keysUnavailable)
    #expect((scene.set.current == nil) == (error != nil))
    return scene.set.statistics.lastError
  }

  @Test func `with another status than 200`() async throws {
    #expect(try await Self.reason() == nil)
    for status in [201, 204, 206, 304, 400, 401, 404, 500, 503] {
      #expect(try await Self.reason(status: status) == .responseInvalid, "\(status)")
    }
  }

  @Test func `that asks for credentials, with the reason`() async throws {
    for (status, isNamed) in [(401, true), (403, true), (404, false)] {
      let scene = try RemoteScene(.init())
      scene.publish(Self.good, type: "application/json", status: status)
      let error = await scene.refusal()
      #expect(error?.message.contains("no credentials are sent") == isNamed, "\(String(describing: error))")
    }
  }

  @Test func `that sends us elsewhere`() async throws {
    for status in [301, 302, 303, 307, 308] {
      #expect(try await Self.reason(status: status) == .redirectRefused, "\(status)")
    }
  }

  @Test func `that sends us to another server, even where redirects are followed`() async throws {
    var options = RemoteKeyOptions()
    options.followsRedirects = true
    for (target, reason) in [
      ("https://keys.example.org/v2", nil), ("https://evil.example.org/v2", AuthError.Code.redirectRefused),
      ("https://keys.example.org:444/v2", .redirectRefused), ("http://keys.example.org/v2", .redirectRefused),
    ] {
      let scene = try RemoteScene(options)
      scene.transport.answer(RemoteScene.url, .status(302, headers: ["Location": target]))
      scene.transport.answer(target, try RemoteScene.answer(["a": TokenScene.p256]))
      #expect(await (scene.refusal() == nil) == (reason == nil), "\(target)")
      #expect(scene.set.statistics.lastError == reason, "\(target)")
    }
  }

  @Test func `of another type than JSON, any text, or none`() async throws {
    for type in [
      "application/json", "Application/JSON;charset=utf-8", "application/jwk-set+json", "text/plain",
      "application/octet-stream", "binary/octet-stream", "text/json", "application/vnd.example+json",
      "text/plain; charset=utf-8", "", nil,
    ] {
      #expect(try await Self.reason(type: type) == nil, "\(type ?? "none")")
    }
    #expect(try await Self.reason("no JSON", type: "text/plain") == .jsonMalformed)
    for type in [
      "text/html", "text/plainer", "image/png", "application/jsonx",
      "application/x-json, application/json",
    ] {
      #expect(try await Self.reason(type: type) == .responseInvalid, "\(type)")
    }
  }

  @Test func `of more than 256 KiB, or 100 keys`() async throws {
    let large = #"{"keys":[],"x":""# + String(repeating: "x", count: 256 << 10) + #""}"#
    #expect(try await Self.reason(large) == .responseTooLarge)
    func keys(_ count: Int) -> String {
      #"{"keys":["# + Array(repeating: #"{"kty":"new"}"#, count: count).joined(separator: ",") + "]}"
    }
    #expect(try await Self.reason(keys(100)) == nil)
    #expect(try await Self.reason(keys(101)) == .keySetInvalid)
  }

  @Test func `that a careless transport lets through`() async throws {
    let body = Array(Self.good.utf8)
    let padding = Array(repeating: UInt8(ascii: " "), count: 256 << 10)
    let json: TransportHeaders = ["Content-Type": "application/json"]
    for (response, reason) in [
      (TransportResponse(status: 200, headers: json, body: body, url: RemoteScene.url), nil),
      (TransportResponse(status: 200, headers: json, body: body + padding, url: RemoteScene.url), .responseTooLarge),
      (TransportResponse(status: 200, headers: json, body: body, url: "https://evil.example.org/"), .redirectRefused),
      (
        TransportResponse(status: 200, headers: json, body: body, url: "https://keys.example.org/other"),
        .redirectRefused
      ),
    ] as [(TransportResponse, AuthError.Code?)] {
      let set = try RemoteKeySet(
        url: RemoteScene.url, transport: CarelessTransport(response: response), clocks: ManualClocks())
      _ = try? await set.keys()
      #expect(set.statistics.lastError == reason)
    }
  }

  @Test func `that a careless transport was led to on another server`() async throws {
    var options = RemoteKeyOptions()
    options.followsRedirects = true
    for (url, reason) in [
      ("https://keys.example.org/other", nil), ("https://evil.example.org/", AuthError.Code.redirectRefused),
      ("http://keys.example.org/", .redirectRefused),
    ] {
      let response = TransportResponse(
        status: 200, headers: ["Content-Type": "application/json"], body: Array(Self.good.utf8), url: url)
      let set = try RemoteKeySet(
        url: RemoteScene.url, transport: CarelessTransport(response: response), clocks: ManualClocks(),
        options: options)
      _ = try? await set.keys()
      #expect(set.statistics.lastError == reason && set.statistics.fetches == 1)
    }
  }

  @Test func `that is no set of public keys`() async throws {
    #expect(try await Self.reason("{") == .jsonMalformed)
    #expect(try await Self.reason("{}") == .keySetInvalid)
    #expect(try await Self.reason(#"{"keys":[],"keys":[]}"#) == .jsonDuplicateMember)
    let secret: JSONObject = ["keys": [["kty": "oct", "k": .string(Base64URL.encode(Array(0..<32)))]]]
    #expect(try await Self.reason(String(decoding: secret.serialized(), as: UTF8.self)) == .keySetInvalid)
    // Also one that would be skipped.
    #expect(try await Self.reason(#"{"keys":[{"kty":"oct"}]}"#) == .keySetInvalid)
    #expect(try await Self.reason(#"{"keys":[{"kty":"oct"}]}"#, options: RemoteKeyOptions(.either)) == .keySetInvalid)
    let whole = try JWK(.privateKey(TokenScene.p256), keyID: "p").jsonRevealingSecrets()
    let leaked: JSONObject = ["keys": [whole]]
    #expect(try await Self.reason(String(decoding: leaked.serialized(), as: UTF8.self)) == .keySetInvalid)
  }

  @Test func `when certificates were expected and it has none`() async throws {
    let options = RemoteKeyOptions(.certificates)
    for text in [Self.good, #"{"a":1}"#, #"{"a":"PEM"}"#] {
      #expect(try await Self.reason(text, options: options) != nil)
    }
    #expect(try await Self.reason("{}", options: options) == nil)
    #expect(try await Self.reason("[]", options: options) != nil)
  }
}

/// A transport that always returns one response and checks nothing.
private struct CarelessTransport: HTTPTransport {
  let response: TransportResponse

  func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse { response }
}
