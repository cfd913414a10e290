import CGatehouseOpenSSL
public import GatehouseBase

/// Verifies signatures of one key by one algorithm.
///
/// Keep it: what OpenSSL needs is set up once for each thread that comes by, and then reused. Any thread, all at once;
/// no thread waits for another.
public struct MessageVerifier: Sendable {
  /// How long each signature is, in bytes.
  public let signatureLength: Int
  private let algorithm: SignatureAlgorithm
  private let workspaces: Workspaces<SignatureWorkspace>

  /// Throws `keyInvalid` if the key does not sign this way.
  public init(key: PublicKey, algorithm: SignatureAlgorithm) throws(AuthError) {
    guard algorithm.fits(key.type) else {
      throw AuthError(.keyInvalid, "a key of this type does not sign this way")
    }
    self.algorithm = algorithm
    signatureLength = key.signatureLength
    workspaces = Workspaces { [key = key.key] () throws(AuthError) in
      try SignatureWorkspace(key, algorithm, for: .verifying)
    }
  }

  /// Whether this is the signature of a message: yes, no, or `cryptoFailed` when OpenSSL could not tell.
  public func isValid(_ signature: Span<UInt8>, for message: Span<UInt8>) throws(AuthError) -> Bool {
    guard signature.count == signatureLength else { return false }
    return try workspaces.withOne { workspace throws(AuthError) in
      if case .ecdsa(let curve) = algorithm {
        return try ECDSASignature.withDER(of: signature, on: curve) { der throws(AuthError) in
          try workspace.isValid(der, for: message)
        } ?? false
      }
      return try workspace.isValid(signature, for: message)
    }
  }
}

extension PublicKey {
  /// Whether this is the signature of a message, as `MessageVerifier` tells, which is faster for more than one.
  public func isValid(
    _ signature: [UInt8], for message: [UInt8], with algorithm: SignatureAlgorithm
  ) throws(AuthError) -> Bool {
    try MessageVerifier(key: self, algorithm: algorithm).isValid(signature.span, for: message.span)
  }
}
