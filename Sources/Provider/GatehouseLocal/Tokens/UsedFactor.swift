/// The second factor of a session, as tokens say it.
struct UsedFactor: Sendable {
  static let recoveryCode = "recovery_code"

  let kind: String
  /// The factor's identifier; `nil` of a recovery code.
  let id: String?
}
