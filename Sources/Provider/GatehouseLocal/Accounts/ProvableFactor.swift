import GRDB
import GatehouseBase
import GatehouseCrypto
import IdentityToolkit

// Each kind of second factor has a type of its own, and that type alone takes the kind's proof.

/// An authenticator app that is a second factor. A one-time password proves it.
struct AppFactor: Sendable {
  private(set) var stored: StoredSecondFactor
  private let secret: SharedSecret

  /// Refuses a factor of another kind.
  init(_ stored: StoredSecondFactor) throws(AuthError) {
    guard stored.kind.isExactly(StoredSecondFactor.totp) else {
      throw AuthError(server: .mfaEnrollmentNotFound, "it is not an authenticator app")
    }
    self.stored = stored
    secret = try SharedSecret(stored: stored.secret)
  }

  /// Checks a password and uses it up.
  ///
  /// - Returns: Whether the password is valid, and was not used before.
  mutating func take(_ password: String, at now: Moment) throws(AuthError) -> Bool {
    guard let step = try secret.step(of: password, at: now), step > stored.lastStep else { return false }
    stored.lastStep = step
    return true
  }
}

/// A phone that is a second factor. A code that was sent to it proves it.
struct PhoneFactor: Sendable {
  let stored: StoredSecondFactor
  let number: PhoneNumber

  /// Refuses a factor of another kind.
  init(_ stored: StoredSecondFactor) throws(AuthError) {
    guard stored.kind.isExactly(StoredSecondFactor.phone), let text = stored.phoneNumber else {
      throw AuthError(server: .mfaEnrollmentNotFound, "it is not a phone")
    }
    self.stored = stored
    number = try PhoneNumber(text)
  }
}

/// The secret that an account shares with an authenticator app. It is never empty.
struct SharedSecret: Sendable {
  private let bytes: SecretBytes

  /// Reads a secret in base32.
  init(stored text: String) throws(AuthError) {
    guard let bytes = Base32.decode(text), !bytes.isEmpty else {
      throw AuthError(.providerDamaged, "a second factor cannot be read; restore the accounts from a copy")
    }
    self.bytes = SecretBytes(bytes)
  }

  /// Returns the period of a password, if the password is valid at this time.
  func step(of password: String, at now: Moment) throws(AuthError) -> Int64? {
    try OneTimePassword.step(of: password, bytes, at: now.seconds)
  }
}

/// The proof of a second factor, of exactly one kind.
enum FactorProof: Sendable {
  case recoveryCode(Secret)
  /// The code that was sent to a phone. The message names the factor; the call may name it as well.
  case phone(PhoneVerificationInfo, factor: String?)
  case app(password: String, factor: String)

  init(_ call: FinalizeMfaSignIn) throws(AuthError) {
    if let code = call.recoveryCode {
      self = .recoveryCode(code)
    } else if let proof = call.phoneVerificationInfo {
      self = .phone(proof, factor: call.mfaEnrollmentId)
    } else {
      guard let id = call.mfaEnrollmentId else { throw AuthError(server: .missingMFAEnrollmentID) }
      guard let password = call.totpVerificationInfo?.verificationCode, !password.isEmpty else {
        throw AuthError(server: .missingCode)
      }
      self = .app(password: password, factor: id)
    }
  }

  /// Whether this is a recovery code of the account that was used before.
  func isUsedRecoveryCode(of account: StoredAccount, in db: Database) throws -> Bool {
    guard case .recoveryCode(let code) = self else { return false }
    return try Bool.fetchOne(
      db, sql: "SELECT used IS NOT NULL FROM recoveryCode WHERE hash = ? AND uid = ?",
      arguments: [try RecoveryCode.hash(code), account.uid]) ?? false
  }

  /// The kind, as tokens and the audit log name it.
  var kind: String {
    switch self {
    case .recoveryCode: UsedFactor.recoveryCode
    case .phone: StoredSecondFactor.phone
    case .app: StoredSecondFactor.totp
    }
  }
}
