import GatehouseBase
import GatehouseJOSE
import GatehouseLocal
import GatehouseTesting
import IdentityToolkit
import Testing

/// Texts of clients and identity providers that no account can have.
struct LongProfileTests {
  /// The kind of the credential, which determines the code that reads the texts.
  enum Kind: CaseIterable, Sendable { case idToken, accessToken, unverified }

  /// The fields of an identity. The client itself sends the last two.
  private static let fields = [
    "sub", "name", "picture", "email", "screen_name", "phone_number", "locale", "fullName", "providerId",
  ]

  @Test(arguments: fields, Kind.allCases)
  func `no text of an identity makes a long account or a long token`(_ field: String, _ kind: Kind) async throws {
    for text in [String(repeating: "A", count: 5000), "a\0b"] {
      let scene = try IdentityScene { $0.acceptsUnverifiedIdentities = kind == .unverified }
      let credential = try credential(field, text, kind, scene)
      let isName = ["sub", "providerId"].contains(field)
      guard !isName else {
        let word = field == "sub" ? "INVALID_IDP_RESPONSE" : "INVALID_PROVIDER_ID"
        await expectRefusal(word) { try await scene.signIn(credential) }
        continue
      }
      let user = try await scene.signIn(credential)
      let idToken = try #require(user.idToken)
      #expect(idToken.revealed.utf8.count < 2000)
      #expect(try await scene.scene.refresh(#require(user.refreshToken)).idToken.revealed.utf8.count < 2000)
      let account = try await scene.scene.lookUp(idToken)
      let identity = try #require(account.providerUserInfo?.first)
      let texts = [account.displayName, account.photoUrl, account.email, account.phoneNumber, user.screenName]
      #expect(texts.allSatisfy { $0 == nil })
      #expect([identity.displayName, identity.photoUrl, identity.email].allSatisfy { $0 == nil })
    }
  }

  @Test func `a client's full name is that of the account, if the identity provider says none`() async throws {
    for isUnverified in [true, false] {
      let scene = try IdentityScene { $0.acceptsUnverifiedIdentities = isUnverified }
      var credential = try scene.credential()
      credential.fullName = String(repeating: "é", count: 256)
      let user = try await scene.signIn(credential)
      #expect(try await scene.scene.lookUp(#require(user.idToken)).displayName == credential.fullName)
    }
  }

  /// A credential with one member that is this text.
  private func credential(
    _ field: String, _ text: String, _ kind: Kind, _ scene: IdentityScene
  ) throws -> IdentityCredential {
    let isClients = ["fullName", "providerId"].contains(field)
    let members: JSONObject = isClients ? [:] : [field: .string(text)]
    var claims: JSONObject = ["sub": "u1"]
    for member in members.members { claims[member.name] = member.value }
    var credential: IdentityCredential
    switch kind {
    case .idToken: credential = try scene.credential("u1", members)
    case .accessToken:
      scene.answer("https://opaque.example/introspect", #"{"active":true,"client_id":"\#(IdentityScene.client)"}"#)
      scene.answer("https://opaque.example/userinfo", claims.description)
      credential = scene.accessToken("oidc.opaque")
    case .unverified:
      credential = IdentityCredential(providerID: "oidc.example")
      credential.idToken = Secret(claims.description)
    }
    if field == "fullName" { credential.fullName = text }
    guard field == "providerId" else { return credential }
    var other = IdentityCredential(providerID: text)
    (other.idToken, other.accessToken) = (credential.idToken, credential.accessToken)
    return other
  }
}
