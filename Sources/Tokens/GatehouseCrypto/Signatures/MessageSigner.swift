import GatehouseBase

/// Signs messages with one private key and one algorithm.
///
/// Keep and reuse it, like a `MessageVerifier`. Signing is slow, a millisecond or more with RSA: not on a queue that
/// must stay quick.
public struct MessageSigner: Sendable {
  private let algorithm: SignatureAlgorithm
  private let workspaces: Workspaces<SignatureWorkspace>

  /// Throws `keyInvalid` if the key does not support the algorithm.
  public init(key: PrivateKey, algorithm: SignatureAlgorithm) throws {
    try algorithm.requireFit(key.type)
    self.algorithm = algorithm
    workspaces = Workspaces { [key = key.key] () throws(AuthError) in
      try SignatureWorkspace(key, algorithm, for: .signing)
    }
  }

  /// Signs a message. The signature is in JOSE's form.
  public func sign(_ message: Span<UInt8>) throws -> [UInt8] {
    SlowWork.begins(.privateKey)
    let signature = try workspaces.withOne { workspace throws(AuthError) in try workspace.sign(message) }
    guard case .ecdsa(let curve) = algorithm else { return signature }
    return try ECDSAEncoding.raw(fromDER: signature, on: curve)
  }
}

extension PrivateKey {
  /// Signs a message. For more than one, a `MessageSigner` is faster.
  public func sign(_ message: [UInt8], with algorithm: SignatureAlgorithm) throws -> [UInt8] {
    try MessageSigner(key: self, algorithm: algorithm).sign(message.span)
  }
}
