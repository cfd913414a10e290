import GatehouseBase

/// Verifies signatures of one key with one algorithm.
///
/// Keep and reuse it: OpenSSL's state is set up once for each calling thread. Usable from any thread; no thread waits
/// for another.
public struct MessageVerifier: Sendable {
  /// The length of each signature, in bytes.
  public let signatureLength: Int
  private let workspaces: Workspaces<VerifyingWorkspace>

  /// Throws `keyInvalid` if the key does not support the algorithm.
  public init(key: PublicKey, algorithm: SignatureAlgorithm) throws {
    try algorithm.requireFit(key.type)
    signatureLength = key.signatureLength
    workspaces = Workspaces { () throws(AuthError) in try VerifyingWorkspace(key, algorithm) }
  }

  /// Whether this is the signature of a message. Throws `cryptoFailed` if OpenSSL fails.
  public func isValid(_ signature: Span<UInt8>, for message: Span<UInt8>) throws -> Bool {
    try workspaces.withOne { workspace throws(AuthError) in try workspace.isValid(signature, for: message) }
  }
}

extension PublicKey {
  /// Whether this is the signature of a message. For more than one, a `MessageVerifier` is faster.
  public func isValid(
    _ signature: [UInt8], for message: [UInt8], with algorithm: SignatureAlgorithm
  ) throws -> Bool {
    try VerifyingWorkspace(self, algorithm).isValid(signature.span, for: message.span)
  }
}

/// Verifies signatures of one key with one algorithm, for one thread at a time.
package final class VerifyingWorkspace {
  private let workspace: SignatureWorkspace
  private let algorithm: SignatureAlgorithm
  private let signatureLength: Int

  /// Throws `keyInvalid` if the key does not support the algorithm.
  package init(_ key: PublicKey, _ algorithm: SignatureAlgorithm) throws(AuthError) {
    try algorithm.requireFit(key.type)
    self.algorithm = algorithm
    signatureLength = key.signatureLength
    // For RSA, OpenSSL takes a lock of the key each time, so a shared key would make all threads write to it.
    let own = if case .rsa = key.parameters { try typed { try PublicKey(key.parameters) } } else { key }
    workspace = try SignatureWorkspace(own.key, algorithm, for: .verifying)
  }

  /// See `MessageVerifier.isValid(_:for:)`.
  package func isValid(_ signature: Span<UInt8>, for message: Span<UInt8>) throws(AuthError) -> Bool {
    guard signature.count == signatureLength else { return false }
    guard case .ecdsa(let curve) = algorithm else { return try workspace.isValid(signature, for: message) }
    return try ECDSAEncoding.withDER(of: signature, on: curve) { der throws(AuthError) in
      try workspace.isValid(der, for: message)
    } ?? false
  }
}
