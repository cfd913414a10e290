import CGatehouseOpenSSL
package import GatehouseBase

extension KeyType {
  /// Whether keys of this type support key agreement here: those on the NIST curves (ECDH), and X25519.
  package var agreesOnKeys: Bool { agreedLength != nil }

  /// The length of the shared secret, in bytes.
  fileprivate var agreedLength: Int? {
    switch self {
    case .ec(let curve) where curve != .secp256k1: curve.coordinateLength
    case .okp(.x25519): 32
    default: nil
    }
  }
}

extension PrivateKey {
  /// Computes the shared secret of this key and the other side's (NIST SP 800-56A §5.7.1.2, RFC 7748 §6.1). It is not a
  /// key yet: derive one from it.
  ///
  /// Throws `keyInvalid` if the two keys are not on one curve, if their type does not support key agreement, or if the
  /// other key is a point of small order, which gives the same secret with every key. Slow: do not call it on a queue
  /// that must stay quick.
  package func agree(with other: PublicKey) throws(AuthError) -> SecretBytes {
    guard other.type == type, let length = type.agreedLength else {
      throw AuthError(.keyInvalid, "key agreement needs two keys on the same curve that supports it")
    }
    SlowWork.begins(.privateKey)
    // `unsafe`: C; the context is freed once, by its owner, and the buffer has the length that is passed.
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
