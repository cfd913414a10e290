public import GatehouseBase

extension JWKSet {
  /// A skipped key of a published set, or an ignored member of a key, with the reason.
  ///
  /// It never contains a key, a certificate or a secret.
  public struct Omission: Sendable, Hashable {
    /// The offset of the key in the published set, or of the certificate in its map.
    public let index: Int
    /// The key's `kid`; `nil` if it has none, or one that is not a string of at most 256 bytes.
    public let keyID: String?
    /// The ignored member; `nil` if the whole key is skipped.
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
  /// The offset, the member and the reason. The `kid` is left out because its text is the server's.
  public var description: String {
    "key \(index)\(member.map { ", `\($0)`" } ?? ""): \(message) [\(code)]"
  }
}
