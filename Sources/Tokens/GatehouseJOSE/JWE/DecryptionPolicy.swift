/// What an encrypted message must be to be decrypted.
public struct DecryptionPolicy: Sendable {
  /// The ways to get at a message's key that are accepted; with none, no message is.
  public var algorithms: Set<JWEAlgorithm>
  /// The ways to encrypt the message itself that are accepted.
  public var encryptions: Set<ContentEncryption>
  /// Whether the message must say which key it was encrypted to, even if there is only one.
  public var requiresKeyID = false
  /// How large a message and its header may be.
  public var limits: TokenLimits

  /// A policy that accepts these algorithms.
  public init(
    algorithms: Set<JWEAlgorithm>, encryptions: Set<ContentEncryption> = Set(ContentEncryption.allCases),
    limits: TokenLimits = .standard
  ) {
    self.algorithms = algorithms
    self.encryptions = encryptions
    self.limits = limits
  }
}
