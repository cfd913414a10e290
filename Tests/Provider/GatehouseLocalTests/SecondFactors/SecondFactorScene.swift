import Gatehouse
import GatehouseBase
import GatehouseCrypto
import GatehouseLocal
import IdentityToolkit
import Testing

/// An `Auth` on an embedded provider, with a user whose address is verified, and the authenticator app.
struct SecondFactorScene: Sendable {
  let scene: Scene
  let outbox: Outbox
  let auth: Auth
  let user: User

  init(_ adjust: (inout LocalOptions) -> Void = { _ in }) async throws {
    let (scene, outbox) = Scene.sending(adjust)
    (self.scene, self.outbox) = (scene, outbox)
    auth = Auth(.init(backend: scene.backend, clocks: scene.clock))
    user = try await auth.createUser(withEmail: "ada@example.com", password: "correct horse").user
    try await user.sendEmailVerification()
    try await auth.applyActionCode(outbox.code.revealed)
    try await user.reload()
  }

  /// The password that the app with this secret shows now.
  func password(_ secret: String) throws -> String {
    let bytes = try #require(Base32.decode(secret))
    return try OneTimePassword.password(
      SecretBytes(bytes), step: OneTimePassword.step(at: Int64(scene.clock.now().wall)))
  }

  /// Enrols an app.
  ///
  /// - Returns: its secret, and the factor.
  @discardableResult
  func enroll(_ name: String = "phone") async throws -> (secret: String, factor: MultiFactorInfo) {
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: try await user.multiFactor.session())
    let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(
      with: secret, oneTimePassword: try password(secret.sharedSecretKey()))
    try await user.multiFactor.enroll(with: assertion, displayName: name)
    scene.clock.advance(by: 60)  // the password of this period is used up
    return (secret.sharedSecretKey(), try #require(user.multiFactor.enrolledFactors.last))
  }

  /// Signs in with the first factor.
  func resolver() async throws -> MultiFactorResolver {
    do throws(AuthError) {
      _ = try await typed { try await auth.signIn(withEmail: "ada@example.com", password: "correct horse") }
    } catch {
      #expect(error.code == .secondFactorRequired)
      return try #require(auth.multiFactorResolver(for: error))
    }
    throw AuthError(.internalError, "the sign-in asked for no second factor")
  }

  func assertion(_ factor: MultiFactorInfo, _ password: String) -> MultiFactorAssertion {
    TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: factor.uid, oneTimePassword: password)
  }
}
