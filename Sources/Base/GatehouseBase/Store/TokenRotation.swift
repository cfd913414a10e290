/// The rotation of a session's refresh token: the provider replaces it with each refresh, which spends it.
///
/// Before a refresh token is sent that will be spent, its fingerprint is stored, with an identifier of that attempt. If
/// the program then ends before it has the answer, the stored fingerprint says that the refresh token may be spent.
public struct TokenRotation: Sendable, Hashable, Codable {
  /// The fingerprint of the refresh token that was sent, a period, and the attempt's identifier, while no answer to it
  /// is stored; `nil` after an answer. The fingerprint is made from the token's SHA-256 hash, and does not reveal the
  /// token.
  public var spending: String?

  /// Creates a rotation, with the fingerprint of a refresh token that is being spent.
  public init(spending: String? = nil) { self.spending = spending }
}
