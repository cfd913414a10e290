public import GatehouseBase

extension JWKSet {
  /// A key of a published set that is skipped, or a member of a key that is ignored, with the reason.
  ///
  /// It never holds a key, a certificate or a secret.
  public struct Omission: Sendable, Hashable {
    /// The offset of the key in the published set, or of the certificate in its map.
    public let index: Int
    /// The key's `kid`; `nil` if it has none, or one that is not a string of at most 256 bytes.
    public let keyID: String?
    /// The member that is ignored; `nil` if the whole key is skipped.
    public let member: String?
    /// The kind of the reason.
    public let code: AuthError.Code
    /// The reason, for people.
    public let message: String

    init(index: Int, keyID: String?, member: String?, _ reason: AuthError) {
      self.index = index
      self.keyID = keyID
      self.member = member
      code = reason.code
      message = reason.message
    }
  }
}

extension JWKSet.Omission: CustomStringConvertible {
  /// The offset, the member and the reason, without the `kid`: that is the server's text.
  public var description: String {
    "key \(index)\(member.map { ", `\($0)`" } ?? ""): \(message) [\(code)]"
  }
}
