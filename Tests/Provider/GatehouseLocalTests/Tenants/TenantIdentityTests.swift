import GatehouseBase
import GatehouseCrypto
import GatehouseHTTP
import GatehouseJOSE
import GatehouseLocal
import GatehouseTesting
import IdentityToolkit
import Testing

/// Identity providers that have the same name in the project and in a tenant, and other issuers.
struct TenantIdentityTests {
  private static let name = "oidc.corp"

  /// An OpenID Connect provider, which signs tokens for the test.
  private struct Issuer {
    let url: String
    let signer: TokenSigner

    init(_ url: String, _ transport: RecordingTransport) throws {
      let key = try PrivateKey.generate(.p256)
      self.url = url
      signer = try TokenSigner(key: key, keyID: "k1")
      let published = try JWKSet([JWK(.publicKey(key.publicKey), keyID: "k1")])
      transport.answer(
        "\(url)/.well-known/openid-configuration",
        .status(200, body: Array(#"{"issuer":"\#(url)","jwks_uri":"\#(url)/keys"}"#.utf8)))
      transport.answer("\(url)/keys", .status(200, body: Array(published.serialized())))
    }
  }

  private let scene: Scene
  private let transport = RecordingTransport()
  private let projects: Issuer
  private let norths: Issuer

  init() throws {
    projects = try Issuer("https://project.example", transport)
    norths = try Issuer("https://north.example", transport)
    scene = Scene { [transport] in $0.transport = transport }
  }

  /// A provider with the project's identity provider in its options, or in its database, and with tenants: `north`,
  /// which has one of its own, and `south`, which has none.
  private func backend(inOptions: Bool) async throws -> LocalBackend {
    let backend = scene.another { [transport, projects] in
      $0.transport = transport
      if inOptions {
        $0.identityProviders = [.openIDConnect(Self.name, issuer: projects.url, clientIDs: ["app-1"])]
      }
    }
    for tenant in ["north", "south"] { _ = try await backend.createTenant(tenant) }
    func configure(_ issuer: Issuer, _ tenant: String?) async throws {
      let document: JSONObject = ["clientId": "app-1", "issuer": .string(issuer.url), "enabled": true]
      _ = try await backend.answer(CreateResource(.oauthIdpConfig, newID: Self.name, document, of: tenant))
    }
    try await configure(norths, "north")
    if !inOptions { try await configure(projects, nil) }
    return backend
  }

  /// A sign-in, or a link, with a token of an issuer.
  private func call(
    _ issuer: Issuer, _ subject: String = "alice", in tenant: String? = nil, linkingTo idToken: Secret? = nil
  ) throws -> SignInWithIdp {
    let now = Int64(scene.clock.now().wall)
    var credential = IdentityCredential(providerID: Self.name)
    credential.idToken = Secret(
      try issuer.signer.sign([
        "iss": .string(issuer.url), "aud": "app-1", "sub": .string(subject), "iat": .number(JSONNumber(now)),
        "exp": .number(JSONNumber(now + 600)),
      ]))
    var call = SignInWithIdp(credential, linkingTo: idToken)
    call.tenantId = tenant
    return call
  }

  private func guest(_ backend: LocalBackend, in tenant: String?) async throws -> SignInResponse {
    var call = SignUp()
    call.tenantId = tenant
    return try await backend.answer(call)
  }

  @Test(arguments: [true, false])
  func `a link is for the identity provider of the user's tenant, whether or not the call names it`(
    inOptions: Bool
  ) async throws {
    let backend = try await backend(inOptions: inOptions)
    for named in [nil, "north"] {
      let guest = try await guest(backend, in: "north")
      await expectRefusal("INVALID_IDP_RESPONSE") {
        try await backend.answer(call(projects, in: named, linkingTo: guest.idToken))
      }
      let subject = "of \(named ?? "the token")"
      _ = try await backend.answer(call(norths, subject, in: named, linkingTo: guest.idToken))
      #expect(try await backend.answer(call(norths, subject, in: "north")).localId == guest.localId)
    }
    let guest = try await guest(backend, in: nil)
    await expectRefusal("INVALID_IDP_RESPONSE") {
      try await backend.answer(call(norths, linkingTo: guest.idToken))
    }
    _ = try await backend.answer(call(projects, linkingTo: guest.idToken))
    #expect(try await backend.answer(call(projects)).localId == guest.localId)
  }

  @Test func `a link with another tenant's ID token, or with none that is valid, asks no identity provider`()
    async throws
  {
    let backend = try await backend(inOptions: true)
    let guest = try await guest(backend, in: "north")
    await expectRefusal("TENANT_ID_MISMATCH") {
      try await backend.answer(call(projects, in: "south", linkingTo: guest.idToken))
    }
    await expectRefusal("INVALID_ID_TOKEN") { try await backend.answer(call(projects, linkingTo: Secret("x"))) }
    scene.clock.advance(by: 3600)
    await expectRefusal("TOKEN_EXPIRED") { try await backend.answer(call(norths, linkingTo: guest.idToken)) }
    #expect(transport.requests.isEmpty)
  }

  @Test func `a tenant's own identity provider comes before one of the options, also while it is switched off`()
    async throws
  {
    let backend = try await backend(inOptions: true)
    func outcome(_ issuer: Issuer, _ tenant: String?) async throws -> String {
      do throws(AuthError) {
        return try await typed { try await backend.answer(call(issuer, in: tenant)).localId ?? "" }
      } catch { return error.serverCode ?? "" }
    }
    let uid = try await outcome(norths, "north")
    #expect(try await backend.answer(call(norths, in: "north")).localId == uid)
    #expect(try await outcome(projects, "north") == "INVALID_IDP_RESPONSE")
    // A tenant without one has those of the options.
    for tenant in [nil, "south"] {
      #expect(try await outcome(norths, tenant) == "INVALID_IDP_RESPONSE")
      #expect(try await backend.answer(call(projects, in: tenant)).isNewUser == true)
    }
    _ = try await backend.answer(
      UpdateResource(.oauthIdpConfig, Self.name, ["enabled": false], mask: ["enabled"], of: "north"))
    for issuer in [norths, projects] { #expect(try await outcome(issuer, "north") == "INVALID_PROVIDER_ID") }
  }
}
