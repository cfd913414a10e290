import Foundation
import Gatehouse
import GatehouseTesting
import HangGuard
import IdentityToolkit
import TestSupport
import Testing

/// Errors as programs read them that were written for Firebase.
struct FirebaseErrorTests {
  @Test func `a wrong password is an error of Firebase's domain, with its number and name`() async throws {
    let (scene, _) = try await Scene.signedIn()
    do {
      _ = try await scene.auth.signIn(withEmail: Scene.email, password: "wrong")
      Issue.record("the password was accepted")
    } catch let error as NSError {
      #expect(error.domain == AuthErrors.domain && error.code == 17_009)
      #expect(error.userInfo[AuthErrors.userInfoNameKey] as? String == "ERROR_WRONG_PASSWORD")
      #expect(error.userInfo[NSLocalizedDescriptionKey] as? String == error.localizedDescription)
      #expect(error.userInfo[AuthErrors.userInfoMultiFactorResolverKey] == nil)
      #expect(error.userInfo[AuthErrors.userInfoUpdatedCredentialKey] == nil)
      #expect(AuthErrorCode(rawValue: error.code) == .wrongPassword)
    }
  }

  @Test func `a weak password's error says what the password lacks, under the key that Firebase documents`()
    async throws
  {
    let error = AuthError(server: .weakPassword, "Password should be at least 6 characters") as NSError
    #expect(error.userInfo[NSLocalizedFailureReasonErrorKey] as? String == "Password should be at least 6 characters")
    #expect(AuthError(.weakPassword, "too weak").userInfo[NSLocalizedFailureReasonErrorKey] as? String == "too weak")
    #expect(AuthError(.wrongPassword, "wrong").userInfo[NSLocalizedFailureReasonErrorKey] == nil)
  }

  @Test func `an account in the way is in the userInfo, with the credential`() async throws {
    let (scene, _) = try await Scene.signedIn()
    let given = GoogleAuthProvider.credential(withIDToken: "idp:ada:\(Scene.email)", accessToken: "access")
    let error = await #expect(throws: NSError.self) { try await scene.auth.signIn(with: given) }
    #expect(error?.userInfo[AuthErrors.userInfoEmailKey] as? String == Scene.email)
    #expect(error?.userInfo[AuthErrors.userInfoUpdatedCredentialKey] as? AuthCredential == given)
  }

  @Test func `a credential of another account is in the userInfo of a refused link`() async throws {
    let scene = Scene()
    let given = GoogleAuthProvider.credential(withIDToken: "idp:ada", accessToken: "access")
    _ = try await scene.auth.signIn(with: given)
    let guest = try await scene.auth.signInAnonymously().user
    let heard = Delivery { guest.link(with: given, completion: $0) }
    guard case .failure(let error) = await heard.result else {
      Issue.record("the link was accepted")
      return
    }
    #expect(error.userInfo[AuthErrors.userInfoUpdatedCredentialKey] as? AuthCredential == given)
  }

  @Test func `a sign-in that waits for a second factor continues with the resolver in its userInfo`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.requireSecondFactor(of: Scene.email)
    let error = await #expect(throws: NSError.self) {
      try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password)
    }
    let resolver = try #require(
      error?.userInfo[AuthErrors.userInfoMultiFactorResolverKey] as? MultiFactorResolver)
    #expect(resolver.auth == scene.auth)
    let again = try await resolver.resolveSignIn(with: Self.assertion(resolver)).user
    #expect(again.uid == user.uid && scene.auth.currentUser == again)
  }

  @Test func `a reauthentication continues as one, for the same user`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.requireSecondFactor(of: Scene.email)
    let password = EmailAuthProvider.credential(withEmail: Scene.email, password: Scene.password)
    let error = await #expect(throws: NSError.self) { try await user.reauthenticate(with: password) }
    let resolver = try #require(
      error?.userInfo[AuthErrors.userInfoMultiFactorResolverKey] as? MultiFactorResolver)
    #expect(try await resolver.resolveSignIn(with: Self.assertion(resolver)).user == user)
  }

  @Test(.endsIfItHangs) func `an error keeps no Auth alive, and then has no resolver`() async throws {
    let (gone, end) = AsyncStream.makeStream(of: Void.self)
    let error = try await Self.waitingSignIn { end.finish() }
    for await _ in gone {}
    #expect(error.userInfo[AuthErrors.userInfoNameKey] as? String == "ERROR_SECOND_FACTOR_REQUIRED")
    #expect(error.userInfo[AuthErrors.userInfoMultiFactorResolverKey] == nil)
  }

  /// The error of a sign-in that waits for a second factor.
  private static func waitingSignIn(gone: @escaping @Sendable () -> Void) async throws -> NSError {
    let (scene, _) = try await Scene.signedIn()
    let probe = Probe(gone)
    scene.auth.addStateDidChangeListener { _, _ in withExtendedLifetime(probe) {} }
    scene.backend.requireSecondFactor(of: Scene.email)
    let error = await #expect(throws: NSError.self) {
      try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password)
    }
    #expect(error?.userInfo[AuthErrors.userInfoMultiFactorResolverKey] is MultiFactorResolver)
    return try #require(error)
  }

  private static func assertion(_ resolver: MultiFactorResolver) throws -> MultiFactorAssertion {
    let factor = try #require(resolver.hints.first)
    return TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: factor.uid, oneTimePassword: "123456")
  }
}
