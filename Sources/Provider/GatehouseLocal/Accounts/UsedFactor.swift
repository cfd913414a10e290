/// The second factor of a session, as named in tokens.
struct UsedFactor: Sendable {
  static let recoveryCode = "recovery_code"

  let kind: String
  /// The factor's identifier; `nil` for a recovery code.
  let id: String?
}
