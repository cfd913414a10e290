import Foundation
import GatehouseCore
import GatehouseQueues
import IdentityToolkit

/// Authenticator apps as second factors (RFC 6238).
public enum TOTPMultiFactorGenerator {
  /// `totp`, as the protocol calls it.
  public static let factorID = "totp"

  /// Begins an enrolment: the secret that the user's app needs. The account has the factor when
  /// `MultiFactor.enroll(with:displayName:)` has ended, within the time that the secret says.
  ///
  /// - Throws: `.unverifiedEmail`, `.requiresRecentLogin`, `.unsupportedFirstFactor` for an anonymous user, …;
  ///   `.invalidArgument` for the session of a sign-in.
  public static func generateSecret(
    with session: MultiFactorSession, timeout: Duration? = nil
  ) async throws(AuthError) -> TOTPSecret {
    let user = try session.enrolling()
    return try await onWorkQueue { () throws(AuthError) in try await user.engine.secret(for: user, timeout) }
  }

  /// Begins an enrolment.
  public static func generateSecret(
    with session: MultiFactorSession, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<TOTPSecret>
  ) {
    let user = Result { () throws(AuthError) in try session.enrolling() }
    session.engine.deliver(to: completion) { () throws(AuthError) in
      let user = try user.get()
      return try await user.engine.secret(for: user, timeout)
    }
  }

  /// Proves that the user's app has the secret: the password that it shows now.
  public static func assertionForEnrollment(
    with secret: TOTPSecret, oneTimePassword: String
  ) -> MultiFactorAssertion { .enrollment(secret, oneTimePassword) }

  /// Proves the factor at a sign-in: the password that the app shows now.
  public static func assertionForSignIn(
    withEnrollmentID enrollmentID: String, oneTimePassword: String
  ) -> MultiFactorAssertion { .signIn(enrollmentID, oneTimePassword) }
}

/// What an authenticator app needs. Prints no secret.
public struct TOTPSecret: Sendable, Hashable {
  let session: StartMfaEnrollment.TotpSession
  private let email: String?

  init(_ session: StartMfaEnrollment.TotpSession, _ email: String?) {
    self.session = session
    self.email = email
  }

  /// The secret in base32, for an app that cannot read a QR code.
  public func sharedSecretKey() -> String { session.sharedSecretKey.revealed }

  /// The `otpauth://` address that apps read from a QR code.
  ///
  /// - Parameters:
  ///   - accountName: what the app calls the account; the user's address where there is none.
  ///   - issuer: what the app calls the service.
  public func generateQRCodeURL(withAccountName accountName: String? = nil, issuer: String) -> String {
    var components = URLComponents()
    components.scheme = "otpauth"
    components.host = "totp"
    components.path = "/\(issuer):\(accountName ?? email ?? "")"
    components.queryItems = [
      URLQueryItem(name: "secret", value: sharedSecretKey()), URLQueryItem(name: "issuer", value: issuer),
      URLQueryItem(name: "algorithm", value: session.hashingAlgorithm ?? "SHA1"),
      URLQueryItem(name: "digits", value: "\(session.verificationCodeLength ?? 6)"),
      URLQueryItem(name: "period", value: "\(session.periodSec ?? 30)"),
    ]
    return components.string ?? ""
  }
}

extension TOTPSecret: CustomStringConvertible, CustomReflectable {
  /// `TOTPSecret`, and no more.
  public var description: String { "TOTPSecret" }
  /// Empty.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AuthEngine {
  fileprivate func secret(for user: User, _ timeout: Duration?) async throws(AuthError) -> TOTPSecret {
    let started = try await beginEnrollmentInternal(user.session, timeout: timeout)
    return TOTPSecret(started, profileInternal(user.session).email)
  }
}
