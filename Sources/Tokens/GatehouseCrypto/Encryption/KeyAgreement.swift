import CGatehouseOpenSSL
package import GatehouseBase

extension KeyType {
  /// Whether two keys of this type agree on a secret here: on the NIST curves (ECDH), and with X25519.
  package var agreesOnKeys: Bool { agreedLength != nil }

  /// Bytes in the secret.
  fileprivate var agreedLength: Int? {
    switch self {
    case .ec(let curve) where curve != .secp256k1: curve.coordinateLength
    case .okp(.x25519): 32
    default: nil
    }
  }
}

extension PrivateKey {
  /// The secret that this key and the other side's have in common (NIST SP 800-56A §5.7.1.2, RFC 7748 §6.1). It is
  /// no key yet: derive one.
  ///
  /// Throws `keyInvalid` if the two are not on one curve, if their type agrees on nothing, or if the other key is a
  /// point of small order, with which every key has the same secret. Slow; never on a queue that must stay quick.
  package func agree(with other: PublicKey) throws(AuthError) -> SecretBytes {
    guard other.type == type, let length = type.agreedLength else {
      throw AuthError(.keyInvalid, "key agreement needs two keys on the same curve that supports it")
    }
    SlowWork.begins(.privateKey)
    // `unsafe`: C; the context is freed once, by its owner, and the buffer holds the count that is passed.
    let context = try Owned(unsafe EVP_PKEY_CTX_new_from_pkey(OpenSSL.context, key.raw, nil), "setting up a key") {
      unsafe EVP_PKEY_CTX_free($0)
    }
    try OpenSSL.check(unsafe EVP_PKEY_derive_init_ex(context.raw, nil), "setting up a key")
    guard unsafe EVP_PKEY_derive_set_peer_ex(context.raw, other.key.raw, 1) == 1 else {
      throw OpenSSL.failure("agreeing on a secret", code: .keyInvalid)
    }
    return try SecretBytes(count: length) { secret throws(AuthError) in
      var count = secret.count
      guard unsafe EVP_PKEY_derive(context.raw, secret.baseAddress, &count) == 1, count == length else {
        throw OpenSSL.failure("agreeing on a secret", code: .keyInvalid)
      }
    }
  }
}
