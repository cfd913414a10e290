/// The requirements for an encrypted message.
public struct DecryptionPolicy: Sendable {
  /// The accepted algorithms for a message's key; if there are none, no message is accepted.
  public var algorithms: Set<JWEAlgorithm>
  /// The accepted encryptions of the message's content.
  public var encryptions: Set<ContentEncryption>
  /// Whether the message must name the key that it was encrypted to, even if there is only one.
  public var requiresKeyID = false
  /// The size limits of a message and its header.
  public var limits: TokenLimits

  /// Makes a policy that accepts these algorithms.
  public init(
    algorithms: Set<JWEAlgorithm>, encryptions: Set<ContentEncryption> = Set(ContentEncryption.allCases),
    limits: TokenLimits = .standard
  ) {
    self.algorithms = algorithms
    self.encryptions = encryptions
    self.limits = limits
  }
}
