import GatehouseCrypto

extension JWK {
  /// Whether the key may encrypt messages with these algorithms, according to its type, `alg`, `use` and `key_ops`.
  public func encrypts(_ algorithm: JWEAlgorithm, _ encryption: ContentEncryption) -> Bool {
    guard serves(algorithm, encryption) else { return false }
    // The public half of a key agreement performs no operation itself, so its `key_ops` is often empty.
    if operations?.isEmpty == true {
      switch algorithm.mode {
      case .directKeyAgreement, .keyAgreementWithKeyWrapping: return true
      case .keyEncryption, .keyWrapping, .keyWrappingGCM, .directEncryption: break
      }
    }
    return permits(algorithm.encryptingOperations)
  }

  /// Whether the key may decrypt messages with these algorithms.
  public func decrypts(_ algorithm: JWEAlgorithm, _ encryption: ContentEncryption) -> Bool {
    if case .publicKey = key { return false }
    return serves(algorithm, encryption) && permits(algorithm.decryptingOperations)
  }

  private func serves(_ algorithm: JWEAlgorithm, _ encryption: ContentEncryption) -> Bool {
    guard key.serves(algorithm), use ?? "enc" == "enc" else { return false }
    if case .symmetric(let secret) = key, algorithm == .dir, secret.count != encryption.cipher.keyLength {
      return false
    }
    switch self.algorithm {
    case nil: return true
    case .encryption(let own)?: return own == algorithm
    case .contentEncryption(let own)?: return algorithm == .dir && own == encryption
    case .signature?: return false
    }
  }

  /// Whether `key_ops` is missing, or has one of these.
  private func permits(_ wanted: [String]) -> Bool {
    guard let operations else { return true }
    return operations.contains { operation in wanted.contains { $0.isExactly(operation) } }
  }
}

extension JWEAlgorithm {
  /// The `key_ops` of which an encryption key must have one.
  fileprivate var encryptingOperations: [String] {
    switch mode {
    case .keyEncryption: ["encrypt", "wrapKey"]
    case .directKeyAgreement, .keyAgreementWithKeyWrapping: ["deriveKey", "deriveBits"]
    case .directEncryption: ["encrypt"]
    case .keyWrapping, .keyWrappingGCM: ["wrapKey"]
    }
  }

  /// The `key_ops` of which a decryption key must have one.
  fileprivate var decryptingOperations: [String] {
    switch mode {
    case .keyEncryption: ["decrypt", "unwrapKey"]
    case .directKeyAgreement, .keyAgreementWithKeyWrapping: ["deriveKey", "deriveBits"]
    case .directEncryption: ["decrypt"]
    case .keyWrapping, .keyWrappingGCM: ["unwrapKey"]
    }
  }
}
