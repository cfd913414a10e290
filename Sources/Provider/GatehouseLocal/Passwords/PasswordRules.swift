import GatehouseBase
import IdentityToolkit

/// The rules that every password must meet.
///
/// A password is its UTF-8 bytes as given, without normalization. Any character is allowed, including NUL.
enum PasswordRules {
  /// The maximum length, in bytes of UTF-8. Longer passwords are refused before they are hashed.
  static let maximum = 4096

  /// Returns the bytes of a password to sign in with. Only passwords that no account can have are refused.
  static func bytes(claimed password: Secret) throws(AuthError) -> [UInt8] {
    let text = password.revealed
    guard !text.isEmpty else { throw AuthError(server: .missingPassword) }
    guard text.utf8.count <= maximum else {
      throw AuthError(server: .passwordDoesNotMeetRequirements, "at most \(maximum) bytes")
    }
    return Array(text.utf8)
  }

  /// Refuses a right password that does not meet requirements that hold at sign-ins.
  static func require(atSignIn password: Secret, _ rules: PasswordRequirements) throws(AuthError) {
    guard rules.holdAtSignIn else { return }
    let faults = rules.faults(of: password.revealed)
    guard faults.isEmpty else {
      throw AuthError(
        server: .passwordDoesNotMeetRequirements, "reset it: it needs \(faults.joined(separator: ", "))")
    }
  }

  /// Returns the bytes of a new password.
  static func bytes(new password: Secret, _ rules: PasswordRequirements) throws(AuthError) -> [UInt8] {
    let bytes = try bytes(claimed: password)
    // Firebase's error for its only rule; the other rules have a separate error code.
    guard password.revealed.unicodeScalars.count >= rules.minimumLength else {
      throw AuthError(server: .weakPassword, "Password should be at least \(rules.minimumLength) characters")
    }
    let faults = rules.faults(of: password.revealed)
    guard faults.isEmpty else {
      throw AuthError(
        server: .passwordDoesNotMeetRequirements, "it needs \(faults.joined(separator: ", "))")
    }
    return bytes
  }
}
