import GatehouseBase
import GatehouseCrypto

extension JWK {
  /// What a key's `alg` names: how it signs, how it encrypts the keys of messages, or how it encrypts messages itself.
  public enum Algorithm: Sendable, Hashable {
    /// For signatures.
    case signature(JWSAlgorithm)
    /// For encrypting keys.
    case encryption(JWEAlgorithm)
    /// Of a shared secret that encrypts messages itself (`dir`).
    case contentEncryption(ContentEncryption)
  }

  /// Whether the key may sign or verify anything, by its type, `alg` and `use`.
  var isForSignatures: Bool {
    switch algorithm {
    case .encryption?, .contentEncryption?: false
    case .signature?, nil: isUsedForSignatures && key.signs
    }
  }

  /// Whether `use` allows signatures. SPIFFE has a name of its own for them (JWT-SVID, section 4).
  var isUsedForSignatures: Bool { use.map { $0 == "sig" || $0 == "jwt-svid" } ?? true }
}

extension JWK.Algorithm: RawRepresentable {
  /// An algorithm by its name, which is compared as bytes.
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

  /// The name of the algorithm, as `alg` has it.
  public var rawValue: String {
    switch self {
    case .signature(let algorithm): algorithm.rawValue
    case .encryption(let algorithm): algorithm.rawValue
    case .contentEncryption(let encryption): encryption.rawValue
    }
  }

  /// Bytes that a shared secret has at least.
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
  /// Whether keys of this type, or secrets of this length, serve what a key's `alg` can name.
  func serves(_ algorithm: JWK.Algorithm) -> Bool {
    switch (algorithm, self) {
    case (.signature(let algorithm), _): serves(algorithm)
    case (.encryption(let algorithm), _): serves(algorithm)
    case (.contentEncryption(let encryption), .symmetric(let key)): key.count == encryption.cipher.keyLength
    case (.contentEncryption, _): false
    }
  }

  /// Whether keys of this type, or secrets of this length, encrypt or decrypt with an algorithm.
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
