import Foundation
import GatehouseBase
import GatehouseCore
import GatehouseQueues
import IdentityToolkit

/// Authenticator apps as second factors (RFC 6238).
public enum TOTPMultiFactorGenerator {
  /// `totp`, as the protocol calls it.
  public static let factorID = "totp"

  /// Begins an enrollment, and returns the secret that the user's app needs. The account has the factor once
  /// `MultiFactor.enroll(with:displayName:)` has completed, before the enrollment expires.
  ///
  /// - Throws: `.unverifiedEmail`, `.requiresRecentLogin`, `.unsupportedFirstFactor` for an anonymous user, …;
  ///   `.invalidArgument` for the session of a sign-in.
  public static func generateSecret(
    with session: MultiFactorSession, timeout: Duration? = nil
  ) async throws -> TOTPSecret {
    let user = try session.enrolling()
    return try await onWorkQueue { () throws(AuthError) in try await user.engine.secret(for: user, timeout) }
  }

  /// Begins an enrollment, and returns the secret that the user's app needs.
  public static func generateSecret(
    with session: MultiFactorSession, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<TOTPSecret>
  ) {
    let user = Result { () throws(AuthError) in try session.enrolling() }
    session.engine.deliver(to: completion) { () throws(AuthError) in
      let user = try user.typed()
      return try await user.engine.secret(for: user, timeout)
    }
  }

  /// Returns the proof that the user's app has the secret: the one-time password that it shows now.
  public static func assertionForEnrollment(
    with secret: TOTPSecret, oneTimePassword: String
  ) -> MultiFactorAssertion { .enrollment(secret, oneTimePassword) }

  /// Returns the proof of the factor for a sign-in: the one-time password that the app shows now.
  public static func assertionForSignIn(
    withEnrollmentID enrollmentID: String, oneTimePassword: String
  ) -> MultiFactorAssertion { .signIn(enrollmentID, oneTimePassword) }
}

/// The secret and parameters that an authenticator app needs. Its description contains no secret.
public struct TOTPSecret: Sendable, Hashable {
  let session: StartMfaEnrollment.TotpSession
  private let email: String?

  init(_ session: StartMfaEnrollment.TotpSession, _ email: String?) {
    self.session = session
    self.email = email
  }

  /// The secret in base32, for an app that cannot read a QR code.
  public func sharedSecretKey() -> String { session.sharedSecretKey.revealed }

  /// Returns the `otpauth://` URL that apps read from a QR code.
  ///
  /// - Parameters:
  ///   - accountName: the account's name in the app; `nil` for the user's address.
  ///   - issuer: the service's name in the app.
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
  /// `TOTPSecret`, without the secret.
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
