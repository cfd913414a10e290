import GatehouseBase
import GatehouseCrypto

extension JWK {
  /// The algorithm in a key's `alg`: for signatures, for encrypting the keys of messages, or for encrypting content.
  public enum Algorithm: Sendable, Hashable {
    /// For signatures.
    case signature(JWSAlgorithm)
    /// For encrypting keys.
    case encryption(JWEAlgorithm)
    /// For a shared secret that encrypts content itself (`dir`).
    case contentEncryption(ContentEncryption)
  }

  /// Whether the key may sign or verify at all, according to its type, `alg` and `use`.
  var isForSignatures: Bool {
    switch algorithm {
    case .encryption?, .contentEncryption?: false
    case .signature?, nil: isUsedForSignatures && key.signs
    }
  }

  /// Whether `use` allows signatures. SPIFFE has its own name for that (JWT-SVID, section 4).
  var isUsedForSignatures: Bool { use.map { $0 == "sig" || $0 == "jwt-svid" } ?? true }
}

extension JWK.Algorithm: RawRepresentable {
  /// Finds an algorithm by its name, compared as bytes.
  public init?(rawValue: String) {
    if let algorithm = JWSAlgorithm(exactly: rawValue) {
      self = .signature(algorithm)
    } else if let algorithm = JWEAlgorithm(exactly: rawValue) {
      self = .encryption(algorithm)
    } else if let encryption = ContentEncryption(exactly: rawValue) {
      self = .contentEncryption(encryption)
    } else {
      return nil
    }
  }

  /// The name of the algorithm, as in `alg`.
  public var rawValue: String {
    switch self {
    case .signature(let algorithm): algorithm.rawValue
    case .encryption(let algorithm): algorithm.rawValue
    case .contentEncryption(let encryption): encryption.rawValue
    }
  }

  /// The minimum length of a shared secret, in bytes.
  var leastSecret: Int? {
    switch self {
    case .signature(let algorithm): algorithm.mac?.length
    case .encryption(let algorithm):
      switch algorithm.mode {
      case .keyWrapping(let length): length
      case .keyWrappingGCM(let cipher): cipher.keyLength
      case .keyEncryption, .directKeyAgreement, .keyAgreementWithKeyWrapping, .directEncryption: nil
      }
    case .contentEncryption(let encryption): encryption.cipher.keyLength
    }
  }
}

extension JWK.Key {
  /// Whether keys of this type, or secrets of this length, support an algorithm that `alg` can name.
  func serves(_ algorithm: JWK.Algorithm) -> Bool {
    switch (algorithm, self) {
    case (.signature(let algorithm), _): serves(algorithm)
    case (.encryption(let algorithm), _): serves(algorithm)
    case (.contentEncryption(let encryption), .symmetric(let key)): key.count == encryption.cipher.keyLength
    case (.contentEncryption, _): false
    }
  }

  /// Whether keys of this type, or secrets of this length, support encryption or decryption with an algorithm.
  func serves(_ algorithm: JWEAlgorithm) -> Bool {
    switch (algorithm.mode, self) {
    case (.directEncryption, .symmetric(let key)): ContentEncryption(forKeyOf: key.count) != nil
    case (.keyWrapping(let length), .symmetric(let key)): key.count == length
    case (.keyWrappingGCM(let cipher), .symmetric(let key)): key.count == cipher.keyLength
    case (.keyEncryption, _): if case .rsa? = publicKey?.type { true } else { false }
    case (.directKeyAgreement, _), (.keyAgreementWithKeyWrapping, _): publicKey?.type.agreesOnKeys ?? false
    case (.directEncryption, _), (.keyWrapping, _), (.keyWrappingGCM, _): false
    }
  }
}
