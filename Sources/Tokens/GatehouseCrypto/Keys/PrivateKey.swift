import CGatehouseOpenSSL
import GatehouseBase

/// A private key that matches its public half, which passed every check of `PublicKey`.
///
/// Never prints its numbers. Usable from any thread; all of its operations are slow work. OpenSSL holds its numbers,
/// and overwrites them when the last copy is released.
public struct PrivateKey: Sendable {
  /// The public half.
  public let publicKey: PublicKey
  let key: PKey

  /// Generates a key with OpenSSL. RSA takes a tenth of a second for 2048 bits, and minutes for 8192.
  public static func generate(_ type: KeyType) throws -> PrivateKey {
    SlowWork.begins(.privateKey)
    var list = ParameterList()
    let kind: String
    switch type {
    case .rsa(let bits):
      guard RSARules.bits.contains(bits) else { throw AuthError(.keyInvalid, "an RSA key must have 2048 to 8192 bits") }
      kind = "RSA"
      list.add(OSSL_PKEY_PARAM_RSA_BITS, value: UInt64(bits))
    case .ec(let curve):
      kind = "EC"
      list.add(OSSL_PKEY_PARAM_GROUP_NAME, text: curve.groupName)
    case .okp(let curve): kind = curve.name
    }
    // `unsafe`: C; the context is freed once, by its owner, and the list lives until the call is over.
    let context = try Owned(unsafe EVP_PKEY_CTX_new_from_name(OpenSSL.context, kind, nil), "generating a key") {
      unsafe EVP_PKEY_CTX_free($0)
    }
    var key: OpaquePointer? = nil
    try OpenSSL.check(unsafe EVP_PKEY_keygen_init(context.raw), "generating a key")
    try OpenSSL.check(
      list.withList { unsafe EVP_PKEY_CTX_set_params(context.raw, $0) }, "generating a key")
    try OpenSSL.check(unsafe EVP_PKEY_generate(context.raw, &key), "generating a key")
    let made = try PKey(key, "generating a key")
    return PrivateKey(sound: made, try PublicKey(of: made))
  }

  /// Accepts a key if OpenSSL confirms that its two halves and its primes match.
  init(checking key: PKey) throws(AuthError) {
    // First, because the kind must be known and the sizes limit the time of the checks below.
    let publicKey = try PublicKey(of: key)
    if case .rsa(let modulus, _) = publicKey.parameters { try RSARules.check(secretsOf: key, modulus: modulus) }
    // `unsafe`: C; the context is freed once, by its owner.
    let context = try Owned(unsafe EVP_PKEY_CTX_new_from_pkey(OpenSSL.context, key.raw, nil), "checking a key") {
      unsafe EVP_PKEY_CTX_free($0)
    }
    guard unsafe EVP_PKEY_check(context.raw) == 1 else {
      throw OpenSSL.failure("checking the private key", code: .keyInvalid)
    }
    self.init(sound: key, publicKey)
  }

  private init(sound key: PKey, _ publicKey: PublicKey) {
    self.key = key
    self.publicKey = publicKey
  }

  /// The type of the key pair.
  public var type: KeyType { publicKey.type }
}

extension PrivateKey: CustomStringConvertible, CustomReflectable {
  /// `•••`.
  public var description: String { "•••" }
  /// Empty.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
