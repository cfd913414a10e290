import Gatehouse
import GatehouseBase
import GatehouseCrypto
import GatehouseLocal

extension TourStop {
  static let secondFactor = TourStop("With a second factor the password alone does not sign in") { stage, evidence in
    let multiFactor = try stage.user().multiFactor
    let app = AuthenticatorApp(try await TOTPMultiFactorGenerator.generateSecret(with: try await multiFactor.session()))
    try await multiFactor.enroll(with: try app.enrollment(at: stage.now))
    let recoveryCode = MultiFactorAssertion.recoveryCode(try await multiFactor.generateRecoveryCodes()[0])
    try stage.auth.signOut()
    await stage.advance(by: 60)  // the code that enrolled the app is used up

    let byPassword = await stage.signIn(with: nil)
    let user = stage.auth.currentUser
    let appCode = try app.signIn(try factor(of: byPassword), at: stage.now)
    let (byApp, again) = (await stage.signIn(with: appCode), await stage.signIn(with: appCode))
    let token = try await stage.user().getIDTokenResult()
    let (byRecovery, recoveryAgain) = (await stage.signIn(with: recoveryCode), await stage.signIn(with: recoveryCode))

    evidence.expect("the password alone", byPassword?.code, is: .secondFactorRequired)
    evidence.expect("the user then", user?.uid, is: nil)
    evidence.expect("with the app's code", byApp?.code, is: nil)
    evidence.expect("what the token says", token.signInSecondFactor, is: "totp")
    evidence.expect("the app's code once more", again?.code, is: .invalidVerificationCode)
    evidence.expect("with a recovery code", byRecovery?.code, is: nil)
    evidence.expect("the recovery code once more", recoveryAgain?.code, is: .invalidVerificationCode)
    evidence.note =
      "password → \(name(byPassword)), app's code → \(name(byApp)), again → \(name(again)), "
      + "recovery code → \(name(byRecovery)), again → \(name(recoveryAgain))"
  }

  private static func factor(of error: AuthError?) throws -> String {
    guard let factor = error?.pendingSignIn?.factors.first else {
      throw AuthError(.internalError, "the sign-in named no second factor")
    }
    return factor.uid
  }
}

extension Stage {
  /// Signs in with the password and a second factor.
  ///
  /// - Returns: the refusal; `nil` if the sign-in succeeds.
  fileprivate func signIn(with assertion: MultiFactorAssertion?) async -> AuthError? {
    await TourStop.refusal { () throws(AuthError) in
      do throws(AuthError) {
        _ = try await typed { try await auth.signIn(withEmail: TourStop.email, password: TourStop.newPassword) }
      } catch {
        guard let assertion, let resolver = auth.multiFactorResolver(for: error) else { throw error }
        _ = try await typed { try await resolver.resolveSignIn(with: assertion) }
      }
    }
  }
}

/// The authenticator app on a user's phone.
private struct AuthenticatorApp {
  private let secret: TOTPSecret

  init(_ secret: TOTPSecret) { self.secret = secret }

  func enrollment(at now: Double) throws(AuthError) -> MultiFactorAssertion {
    TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: try code(at: now))
  }

  func signIn(_ factor: String, at now: Double) throws(AuthError) -> MultiFactorAssertion {
    TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: factor, oneTimePassword: try code(at: now))
  }

  private func code(at now: Double) throws(AuthError) -> String {
    guard let bytes = Base32.decode(secret.sharedSecretKey()) else {
      throw AuthError(.internalError, "the provider's secret is not base32")
    }
    return try OneTimePassword.password(SecretBytes(bytes), step: OneTimePassword.step(at: Int64(now)))
  }
}
