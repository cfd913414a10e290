import GatehouseBase
import GatehouseCrypto

/// Checks signatures of one key with one algorithm. Reused for many checks. For one thread at a time.
enum SignatureCheck {
  case keyPair(VerifyingWorkspace)
  case secret(MACWorkspace)

  /// Throws `algorithmRefused` if the key does not support the algorithm.
  init(_ key: JWK, _ algorithm: JWSAlgorithm) throws(AuthError) {
    guard key.verifies(algorithm) else {
      throw AuthError(.algorithmRefused, "the key is not for the token's `alg`")
    }
    switch key.key {
    case .publicKey(let key):
      guard let way = algorithm.signature(for: key.type) else { throw Self.refused }
      self = .keyPair(try VerifyingWorkspace(key, way))
    case .symmetric(let key):
      guard let hash = algorithm.mac else { throw Self.refused }
      self = .secret(try MACWorkspace(key, hash))
    case .privateKey: throw Self.refused
    }
  }

  func isValid(_ signature: Span<UInt8>, for message: Span<UInt8>) throws(AuthError) -> Bool {
    switch self {
    case .keyPair(let workspace): try workspace.isValid(signature, for: message)
    case .secret(let workspace): try workspace.isValid(signature, for: message)
    }
  }

  private static var refused: AuthError {
    AuthError(.algorithmRefused, "this key type does not support the token's `alg`")
  }
}
