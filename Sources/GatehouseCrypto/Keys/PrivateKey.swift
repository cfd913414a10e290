import CGatehouseOpenSSL
public import GatehouseBase

/// A private key whose public half passed every check of `PublicKey`, and that belongs to it.
///
/// Prints nothing of itself. May be used on any thread, by all at once; everything it does is slow work.
public struct PrivateKey: Sendable {
  public let publicKey: PublicKey
  let key: PKey
  /// `nil` for Ed25519, which OpenSSL sets up anew for each message.
  let signing: ReadyContext?

  /// A new key from OpenSSL's generator. RSA takes a tenth of a second for 2048 bits, and minutes for 8192.
  public static func generate(_ type: KeyType) throws(AuthError) -> PrivateKey {
    SlowWork.begins(.privateKey)
    var list = ParameterList()
    let kind: String
    switch type {
    case .rsa(let bits):
      guard RSARules.bits.contains(bits) else { throw AuthError(.keyInvalid, "an RSA key has 2048 to 8192 bits") }
      kind = "RSA"
      list.add(OSSL_PKEY_PARAM_RSA_BITS, value: UInt64(bits))
    case .p256:
      kind = "EC"
      list.add(OSSL_PKEY_PARAM_GROUP_NAME, text: "prime256v1")
    case .ed25519: kind = "ED25519"
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
    return try PrivateKey(sound: made, PublicKey(of: made))
  }

  /// Takes a key after asking OpenSSL whether its two halves and its primes belong together.
  init(checking key: PKey) throws(AuthError) {
    // First: which kinds are known, and the sizes that bound the time of what follows.
    let publicKey = try PublicKey(of: key)
    // `unsafe`: C; the context is freed once, by its owner.
    let context = try Owned(unsafe EVP_PKEY_CTX_new_from_pkey(OpenSSL.context, key.raw, nil), "checking a key") {
      unsafe EVP_PKEY_CTX_free($0)
    }
    guard unsafe EVP_PKEY_check(context.raw) == 1 else {
      throw OpenSSL.failure("checking the private key", code: .keyInvalid)
    }
    try self.init(sound: key, publicKey)
  }

  private init(sound key: PKey, _ publicKey: PublicKey) throws(AuthError) {
    self.key = key
    self.publicKey = publicKey
    signing =
      key.isA("ED25519")
      ? nil : try ReadyContext(key, isRSA: key.isA("RSA")) { unsafe EVP_PKEY_sign_init($0) }
  }

  public var type: KeyType { publicKey.type }
}

extension PrivateKey: CustomStringConvertible, CustomReflectable {
  public var description: String { "•••" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: PEM

extension PrivateKey {
  /// Reads one block of `PRIVATE KEY` (PKCS#8), `RSA PRIVATE KEY` or `EC PRIVATE KEY`; none that is encrypted.
  public init(pem text: Secret) throws(AuthError) {
    SlowWork.begins(.privateKey)
    switch try PEM.label(of: text.revealed) {
    case "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY": break
    case "PUBLIC KEY": throw AuthError(.keyInvalid, "this is a public key where a private one is expected")
    case let label: throw AuthError(.keyUnsupported, "a PEM block of PRIVATE KEY was expected, not \(label)")
    }
    // The function that would ask for a passphrase gives none: OpenSSL's own would ask the terminal.
    try self.init(
      checking: PEM.key(in: text.revealed) { unsafe PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) })
  }

  /// Reads a private key as `init(pem: Secret)` does.
  public init(pem text: String) throws(AuthError) { try self.init(pem: Secret(text)) }

  /// The key as a `PRIVATE KEY` block (PKCS#8), not encrypted.
  public func pem() throws(AuthError) -> Secret {
    Secret(try PEM.text { unsafe PEM_write_bio_PKCS8PrivateKey($0, key.raw, nil, nil, 0, nil, nil) })
  }
}
