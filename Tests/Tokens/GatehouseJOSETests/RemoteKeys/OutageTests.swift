import GatehouseBase
import GatehouseHTTP
import GatehouseJOSE
import GatehouseTesting
import HangGuard
import Testing

/// A server that is temporarily unavailable reports that, and when to retry.
@Suite(.endsIfItHangs) struct OutageTests {
  struct Outage: Sendable, CustomTestStringConvertible {
    let status: Int
    var retryAfter: String?
    /// The expected wait, in seconds.
    var wait: Double?
    let words: String
    var testDescription: String { "\(status) \(retryAfter ?? "")" }

    var answer: RecordingTransport.Answer {
      .status(status, headers: retryAfter.map { ["Retry-After": $0] } ?? [:])
    }
  }

  /// The clocks of the scene show 2023-11-14T22:13:20Z, or another moment that `TokenScene.now` names.
  private static func moment(_ seconds: Double) -> String {
    precondition(TokenScene.now == 1_700_000_000, "the dates below are those of another moment")
    return seconds == 90 ? "Tue, 14 Nov 2023 22:14:50 GMT" : "Tue, 14 Nov 2023 22:13:10 GMT"
  }

  static let outages = [
    Outage(status: 503, words: "is unavailable (status 503); try again later"),
    Outage(status: 503, retryAfter: "7", wait: 7, words: "is unavailable (status 503); try again in 7 s"),
    Outage(status: 502, retryAfter: "7", wait: 7, words: "is unavailable (status 502); try again in 7 s"),
    Outage(
      status: 429, retryAfter: "120", wait: 120,
      words: "takes no more requests for now (status 429); try again in 120 s"),
    Outage(status: 503, retryAfter: moment(90), wait: 90, words: "is unavailable (status 503); try again in 90 s"),
    Outage(status: 503, retryAfter: moment(-10), wait: 0, words: "is unavailable (status 503); try again"),
    Outage(status: 503, retryAfter: "99999999999999999999", wait: 86_400, words: "try again in 86400 s"),
    Outage(status: 503, retryAfter: "soon", words: "try again later"),
    Outage(status: 503, retryAfter: "-1", words: "try again later"),
    Outage(status: 503, retryAfter: "", words: "try again later"),
    Outage(status: 503, retryAfter: "Tue, 14 Foo 2023 22:14:50 GMT", words: "try again later"),
    Outage(status: 503, retryAfter: "Tue, 14 Nov 2023 25:14:50 GMT", words: "try again later"),
  ]

  @Test(arguments: outages) func `of keys that are fetched`(_ outage: Outage) async throws {
    let scene = try RemoteScene()
    scene.transport.answer(RemoteScene.url, outage.answer)
    let error = try #require(await scene.refusal())
    #expect(error.code == .keysUnavailable && error.message.contains(outage.words), "\(error)")
    #expect(error.retryAfter == outage.wait.map { .seconds($0) }, "\(error)")
  }

  @Test(arguments: outages) func `of an issuer's document`(_ outage: Outage) async throws {
    let clocks = ManualClocks(wall: TokenScene.now)
    let transport = RecordingTransport(clocks: clocks)
    let issuer = "https://login.example"
    transport.answer(issuer + "/.well-known/openid-configuration", outage.answer)
    transport.answer(issuer + "/.well-known/oauth-authorization-server", .status(404))
    do throws(AuthError) {
      _ = try await IssuerMetadata.fetch(of: issuer, by: transport, clocks: clocks)
      Issue.record("it was found")
    } catch {
      #expect(error.code == .keysUnavailable && error.message.contains(outage.words), "\(error)")
      #expect(error.retryAfter == outage.wait.map { .seconds($0) } && !error.message.contains("nothing"), "\(error)")
    }
  }

  @Test func `no fetch begins before the moment that the server names, within the cooldown`() async throws {
    for (asked, pause) in [(7.0, 7.0), (0, 1), (3600, 30)] {
      let scene = try RemoteScene()
      scene.transport.answer(RemoteScene.url, Outage(status: 503, retryAfter: "\(Int(asked))", words: "").answer)
      _ = await scene.refusal()
      let soon = await scene.refusal()
      #expect(soon?.retryAfter == .seconds(pause) && scene.asked == 1, "\(asked)")
      scene.clocks.advance(by: pause)
      _ = await scene.refusal()
      #expect(scene.asked == 2, "\(asked)")
    }
  }

  @Test func `a document at the other address is taken though the first one cannot be served`() async throws {
    let transport = RecordingTransport(clocks: ManualClocks(wall: TokenScene.now))
    let issuer = "https://login.example"
    let document: JSONObject = ["issuer": .string(issuer), "jwks_uri": "https://login.example/keys"]
    transport.answer(issuer + "/.well-known/openid-configuration", .status(503))
    transport.answer(issuer + "/.well-known/oauth-authorization-server", .status(200, body: document.serialized()))
    #expect(try await IssuerMetadata.fetch(of: issuer, by: transport).keysURL == "https://login.example/keys")
  }

  /// Some editors add one (RFC 8259 §8.1).
  @Test func `a byte order mark before a document or a set is ignored`() async throws {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let scene = try RemoteScene(RemoteKeyOptions(.either))
    scene.transport.answer(RemoteScene.url, .status(200, body: mark + TokenScene.keys.serialized()))
    #expect(try await scene.set.keys().keys.count == TokenScene.keys.keys.count)
    #expect(try JWKSet(parsing: mark + TokenScene.keys.serialized()).keys.count == TokenScene.keys.keys.count)
    #expect(throws: AuthError.self) { try JWKSet(parsing: mark + mark + TokenScene.keys.serialized()) }
    let transport = RecordingTransport(clocks: ManualClocks(wall: TokenScene.now))
    let document: JSONObject = ["issuer": "https://a.example", "jwks_uri": "https://a.example/keys"]
    transport.answer(
      "https://a.example/.well-known/openid-configuration", .status(200, body: mark + document.serialized()))
    #expect(try await IssuerMetadata.fetch(of: "https://a.example", by: transport).issuer == "https://a.example")
  }
}
