import Foundation
import GatehouseBase
import GatehouseFirebase
import GatehouseLocal
import GatehouseTesting
import TestSupport
import Testing

struct FirebaseValuesTests {
  @Test func `claims have the types that casts of Foundation expect`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-claims-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let backend = LocalBackend(directory: folder.path)
    let token = try await backend.customToken(
      forUser: "ada",
      claims: [
        "admin": true, "level": 3, "share": .number(try #require(JSONNumber(0.5))), "plan": "gold", "none": .null,
        "roles": ["a", "b"], "org": ["id": 7, "tags": [true]],
      ])
    let auth = Auth(Auth.Configuration(backend: backend, timeouts: .patient))
    let user = try await auth.signIn(withCustomToken: token).user
    let result = try await user.getIDTokenResult()
    let claims: [String: Any] = result.claims
    #expect((claims["admin"] as? NSNumber)?.boolValue == true && claims["admin"] as? Bool == true)
    #expect(claims["admin"] as? String == nil && claims["admin"] as? [Any] == nil)
    #expect(claims["level"] as? Int == 3 && claims["level"] as? NSNumber == 3 && claims["level"] as? Double == 3)
    #expect(claims["level"] as? Bool == nil)
    #expect(claims["share"] as? Double == 0.5 && claims["share"] as? Int == nil)
    #expect(claims["plan"] as? String == "gold" && claims["plan"] as? NSNumber == nil)
    #expect(claims["none"] is NSNull && claims["missing"] == nil)
    #expect(claims["roles"] as? [String] == ["a", "b"] && claims["roles"] as? [Int] == nil)
    #expect((claims["org"] as? [String: Any])?["id"] as? Int == 7)
    #expect((claims["org"] as? [String: Any])?["tags"] as? [Bool] == [true])
    #expect(claims["sub"] as? String == user.uid && Set(claims.keys) == Set(result.jsonClaims.names))
    #expect(result.jsonClaims["level"]?.integer == 3)
    try await backend.close()
  }

  @Test func `the constants are those of the types`() {
    #expect(EmailAuthProviderID == "password" && GoogleAuthProviderID == "google.com")
    #expect(FacebookAuthProviderID == "facebook.com" && GitHubAuthProviderID == "github.com")
    #expect(TwitterAuthProviderID == "twitter.com" && PhoneAuthProviderID == "phone")
    #expect(EmailPasswordAuthSignInMethod == "password" && EmailLinkAuthSignInMethod == "emailLink")
    #expect(GoogleAuthSignInMethod == "google.com" && FacebookAuthSignInMethod == "facebook.com")
    #expect(GitHubAuthSignInMethod == "github.com" && TwitterAuthSignInMethod == "twitter.com")
    #expect(PhoneAuthSignInMethod == "phone" && PhoneMultiFactorID == "phone" && TOTPMultiFactorID == "totp")
    #expect(AuthErrorDomain == "FIRAuthErrorDomain" && AuthErrorUserInfoNameKey == AuthErrors.userInfoNameKey)
    #expect(AuthErrorUserInfoEmailKey == AuthErrors.userInfoEmailKey)
    #expect(AuthErrorUserInfoUpdatedCredentialKey == AuthErrors.userInfoUpdatedCredentialKey)
    #expect(AuthErrorUserInfoMultiFactorResolverKey == AuthErrors.userInfoMultiFactorResolverKey)
    #expect(Auth.authStateDidChangeNotification == .AuthStateDidChange)
    let settings = ActionCodeSettings()
    settings.setIOSBundleID("com.example")
    #expect(settings.iOSBundleID == "com.example")
  }

  @Test func `an Auth that was made without an app has none`() {
    #expect(Auth(Auth.Configuration(backend: ScriptedBackend(), timeouts: .patient)).app == nil)
    #expect(FirebaseApp.app() == nil && FirebaseApp.app(name: "no such app") == nil)
  }
}
