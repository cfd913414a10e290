import Foundation
import Gatehouse
import GatehouseBase
import GatehouseCore
import GatehouseTesting
import IdentityToolkit
import Testing

/// Credentials of identity providers and phones, through the client.
struct IdentityCredentialTests {
  private static func google(_ token: String) -> AuthCredential {
    GoogleAuthProvider.credential(withIDToken: token, accessToken: "access")
  }

  @Test func `an identity signs in, and the result tells of it`() async throws {
    let scene = Scene()
    let result = try await scene.auth.signIn(with: Self.google("idp:ada"))
    #expect(result.additionalUserInfo?.isNewUser == true && result.additionalUserInfo?.providerID == "google.com")
    #expect(result.additionalUserInfo?.profile?["sub"]?.string == "ada")
    #expect(result.credential?.idToken == "idp:ada" && result.credential?.accessToken == "access")
    #expect(!result.user.isAnonymous && result.user.providerData.map(\.uid) == ["ada"])
    let again = try await scene.auth.signIn(with: Self.google("idp:ada"))
    #expect(again.additionalUserInfo?.isNewUser == false && again.user.uid == result.user.uid)
  }

  @Test func `an account in the way is told with the credential, which is linked then`() async throws {
    let (scene, _) = try await Scene.signedIn()
    let given = Self.google("idp:ada:\(Scene.email)")
    let error = await #expect(throws: AuthError.self) { _ = try await scene.auth.signIn(with: given) }
    #expect(error?.code == .accountExistsWithDifferentCredential && error?.email == Scene.email)
    let credential = try #require(error?.updatedCredential)
    #expect(credential == given && !"\(credential)".contains("idp:"))
    let user = try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password).user
    let linked = try await user.link(with: credential)
    #expect(linked.additionalUserInfo?.profile != nil && linked.credential?.idToken != nil)
    #expect(linked.user.providerData.map(\.providerID) == ["password", "google.com"])
    let twice = await #expect(throws: AuthError.self) { _ = try await user.link(with: credential) }
    #expect(twice?.code == .providerAlreadyLinked)
  }

  @Test func `an identity of another account signs in to that one`() async throws {
    let scene = Scene()
    let owner = try await scene.auth.signIn(with: Self.google("idp:ada")).user.uid
    let guest = try await scene.auth.signInAnonymously().user
    let error = await #expect(throws: AuthError.self) { _ = try await guest.link(with: Self.google("idp:ada")) }
    #expect(error?.code == .credentialAlreadyInUse)
    let credential = try #require(error?.updatedCredential)
    #expect(try await scene.auth.signIn(with: credential).user.uid == owner)
  }

  @Test func `a reauthentication with another identity is refused, and makes no account`() async throws {
    let scene = Scene()
    let user = try await scene.auth.signIn(with: Self.google("idp:ada")).user
    for token in ["idp:unknown", "idp:other"] {
      if token == "idp:other" {
        _ = try await Scene(backend: scene.backend).auth.signIn(with: Self.google(token))
      }
      let error = await #expect(throws: AuthError.self) {
        _ = try await user.reauthenticate(with: Self.google(token))
      }
      #expect(error?.code == .userMismatch)
    }
    let again = try await user.reauthenticate(with: Self.google("idp:ada"))
    #expect(again.user == user && again.credential?.idToken == "idp:ada")
  }

  @Test func `a phone signs in, is linked, and is told with a credential where another account has it`() async throws {
    let scene = Scene()
    let phones = PhoneAuthProvider.provider(auth: scene.auth)
    func credential() async throws -> AuthCredential {
      let id = try await phones.verifyPhoneNumber("+12025550123")
      return phones.credential(withVerificationID: id, verificationCode: "123456")
    }
    let owner = try await scene.auth.signIn(with: try await credential()).user
    #expect(owner.phoneNumber == "+12025550123" && !owner.isAnonymous)
    let guest = try await scene.auth.signInAnonymously().user
    let given = try await credential()
    let error = await #expect(throws: AuthError.self) { _ = try await guest.link(with: given) }
    #expect(error?.code == .credentialAlreadyInUse)
    let usable = try #require(error?.updatedCredential)
    #expect(usable.provider == "phone")
    #expect(try await scene.auth.signIn(with: usable).user.uid == owner.uid)
    let wrong = phones.credential(withVerificationID: "x", verificationCode: "123456")
    let refused = await #expect(throws: AuthError.self) { _ = try await scene.auth.signIn(with: wrong) }
    #expect(refused?.code == .invalidVerificationID && refused?.updatedCredential == nil)
  }

  @Test func `the factories make what the protocol sends`() {
    func body(_ credential: AuthCredential) -> String? {
      guard case .identity(let identity) = try? credential.resolved() else { return nil }
      return identity.postBody.revealed
    }
    var name = PersonNameComponents()
    (name.givenName, name.familyName) = ("Ada", "Lovelace")
    let apple = OAuthProvider.appleCredential(withIDToken: "t", rawNonce: "n", fullName: name)
    #expect(
      body(apple)
        == "providerId=apple.com&id_token=t&nonce=n&user=%7B%22name%22%3A%7B%22firstName%22%3A%22Ada%20Lovelace%22%7D%7D"
    )
    #expect(body(GitHubAuthProvider.credential(withToken: "a&b")) == "providerId=github.com&access_token=a%26b")
    #expect(body(FacebookAuthProvider.credential(withAccessToken: "a")) == "providerId=facebook.com&access_token=a")
    #expect(
      body(TwitterAuthProvider.credential(withToken: "a", secret: "s"))
        == "providerId=twitter.com&access_token=a&oauth_token_secret=s")
    #expect(
      body(SAMLAuthProvider.credential(providerID: "saml.x", response: "P+="))
        == "providerId=saml.x&SAMLResponse=P%2B%3D")
    #expect(
      body(OAuthProvider.credential(withProviderID: "oidc.x", accessToken: "a")) == "providerId=oidc.x&access_token=a")
  }

  @Test(arguments: ["apple.com", "google.com", "password", "phone", "twitter.com", "oidc.x", ""])
  func `a provider's name is what it was made of`(name: String) {
    #expect(AuthProviderID(rawValue: name).rawValue == name)
  }
}
