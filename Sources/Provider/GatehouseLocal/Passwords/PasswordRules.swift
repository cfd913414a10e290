import GatehouseBase
import IdentityToolkit

/// What can be a password.
///
/// A password is its UTF-8 bytes as given, without normalization; any character may be in it, NUL included.
enum PasswordRules {
  /// In bytes of UTF-8. Longer ones are refused before they are hashed.
  static let maximum = 4096

  /// The bytes of a password to sign in with; only what no account can have is refused.
  static func bytes(claimed password: Secret) throws(AuthError) -> [UInt8] {
    let text = password.revealed
    guard !text.isEmpty else { throw AuthError(server: "MISSING_PASSWORD") }
    guard text.utf8.count <= maximum else {
      throw AuthError(server: "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : at most \(maximum) bytes")
    }
    return Array(text.utf8)
  }

  /// The bytes of a new password.
  static func bytes(new password: Secret, _ rules: PasswordRequirements) throws(AuthError) -> [UInt8] {
    let bytes = try bytes(claimed: password)
    // Firebase's words for its one rule; other rules have a code of their own.
    guard password.revealed.unicodeScalars.count >= rules.minimumLength else {
      throw AuthError(server: "WEAK_PASSWORD : Password should be at least \(rules.minimumLength) characters")
    }
    let faults = rules.faults(of: password.revealed)
    guard faults.isEmpty else {
      throw AuthError(
        server: "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : it needs \(faults.joined(separator: ", "))")
    }
    return bytes
  }
}
