import GatehouseCrypto

/// How the receiver of a message gets its content encryption key (RFC 7516 §2, "key management mode").
enum KeyManagementMode {
  /// The key is encrypted to the receiver's public key.
  case keyEncryption(OAEPHash)
  /// The key is wrapped with a shared key of `length` bytes.
  case keyWrapping(length: Int)
  /// The key is encrypted with a shared key, in Galois counter mode.
  case keyWrappingGCM(AuthenticatedCipher)
  /// The key is agreed on and used as it is.
  case directKeyAgreement
  /// A wrapping key of `length` bytes is agreed on, and wraps the key.
  case keyAgreementWithKeyWrapping(length: Int)
  /// The key is the shared secret itself.
  case directEncryption
}

extension JWEAlgorithm {
  /// The mode, which several algorithms share with different sizes.
  var mode: KeyManagementMode {
    switch self {
    case .RSAOAEP256: .keyEncryption(.sha256)
    case .RSAOAEP: .keyEncryption(.sha1)
    case .ECDHES: .directKeyAgreement
    case .ECDHESA128KW: .keyAgreementWithKeyWrapping(length: 16)
    case .ECDHESA192KW: .keyAgreementWithKeyWrapping(length: 24)
    case .ECDHESA256KW: .keyAgreementWithKeyWrapping(length: 32)
    case .dir: .directEncryption
    case .A128KW: .keyWrapping(length: 16)
    case .A192KW: .keyWrapping(length: 24)
    case .A256KW: .keyWrapping(length: 32)
    case .A128GCMKW: .keyWrappingGCM(.aes128GCM)
    case .A192GCMKW: .keyWrappingGCM(.aes192GCM)
    case .A256GCMKW: .keyWrappingGCM(.aes256GCM)
    }
  }

  /// Whether the key of a message is not made for it, so that there can be no second receiver.
  var isDirect: Bool {
    switch mode {
    case .directKeyAgreement, .directEncryption: true
    case .keyEncryption, .keyWrapping, .keyWrappingGCM, .keyAgreementWithKeyWrapping: false
    }
  }

  /// The length of the agreed wrapping key, in bytes; `nil` if the agreed key is used as it is.
  var agreedWrappingLength: Int? {
    if case .keyAgreementWithKeyWrapping(let length) = mode { length } else { nil }
  }
}
