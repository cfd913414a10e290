import GatehouseBase
import GatehouseHTTP
import GatehouseJOSE
import GatehouseTesting
import Testing

/// An issuer's published metadata, and the allowed locations of its keys.
struct IssuerMetadataTests {
  /// The error for an issuer's keys at a location; `nil` if the location is allowed.
  private static func refusal(of place: String, by issuer: String) async -> AuthError? {
    let transport = RecordingTransport(clocks: ManualClocks(wall: TokenScene.now))
    let document: JSONObject = ["issuer": .string(issuer), "jwks_uri": .string(place)]
    transport.answer(
      issuer + "/.well-known/openid-configuration", .status(200, body: document.serialized()))
    do throws(AuthError) {
      let found = try await IssuerMetadata.fetch(of: issuer, by: transport)
      #expect(found.keysURL == place && found.issuer == issuer)
      return nil
    } catch { return error }
  }

  @Test(arguments: [
    ("https://keys.example/keys", "https://login.example", true),
    ("https://keys.example/keys", "http://127.0.0.1:8080", true),
    ("http://127.0.0.1:8080/keys", "http://127.0.0.1:8080", true),
    ("http://127.0.0.1:8080/keys", "https://login.example", false),
    ("http://keys.example/keys", "http://127.0.0.1:8080", false), ("/keys", "https://login.example", false),
    ("https://ada:hush@keys.example", "https://login.example", false),
  ])
  func `only an issuer on this machine may have its keys there without TLS`(
    place: String, issuer: String, isGood: Bool
  ) async {
    let error = await Self.refusal(of: place, by: issuer)
    #expect((error == nil) == isGood && error?.message.contains("hush") != true, "\(error?.message ?? "")")
    #expect(isGood || error?.code == .keysUnavailable && error?.message.contains("no usable address") == true)
  }

  @Test(arguments: [
    "", "login.example", "ftp://login.example", "https://", "https://login.example?x", "https://login.example/#x",
    "https://ada:hush@login.example", "https://login.example/?key=hush",
  ])
  func `an issuer that has no well-known address is refused, and nothing is asked`(issuer: String) async {
    let transport = RecordingTransport(clocks: ManualClocks(wall: TokenScene.now))
    do throws(AuthError) {
      _ = try await IssuerMetadata.fetch(of: issuer, by: transport)
      Issue.record("it was found")
    } catch {
      #expect(error.code == .invalidArgument && !error.message.contains("hush"), "\(error)")
    }
    #expect(transport.requests.isEmpty)
  }
}
