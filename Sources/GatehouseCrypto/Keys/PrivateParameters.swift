import CGatehouseOpenSSL
public import GatehouseBase

extension PrivateKey {
  /// The numbers that a private key consists of, highest byte first. Secret: whoever has them signs in your name.
  public enum Parameters: Sendable {
    /// With everything that the Chinese remainder theorem needs; keys without their primes are not known here.
    case rsa(RSA)
    /// 32 bytes each.
    case p256(x: [UInt8], y: [UInt8], d: [UInt8])
    /// 32 bytes each, as RFC 8032 encodes them.
    case ed25519(publicKey: [UInt8], seed: [UInt8])

    /// The numbers of an RSA key, by their names in RFC 7518.
    public struct RSA: Sendable {
      public var n, e, d, p, q, dp, dq, qi: [UInt8]

      public init(
        n: [UInt8], e: [UInt8], d: [UInt8], p: [UInt8], q: [UInt8], dp: [UInt8], dq: [UInt8], qi: [UInt8]
      ) {
        self.n = n
        self.e = e
        self.d = d
        self.p = p
        self.q = q
        self.dp = dp
        self.dq = dq
        self.qi = qi
      }
    }
  }

  /// Builds a key from its numbers, and checks that they belong together.
  public init(_ parameters: Parameters) throws(AuthError) {
    SlowWork.begins(.privateKey)
    var list = ParameterList()
    switch parameters {
    case .rsa(let numbers):
      try RSARules.check(modulus: numbers.n, exponent: numbers.e)
      for (name, number) in zip(Self.rsaNames, numbers.all) {
        guard !number.isEmpty, number.count <= numbers.n.count else {
          throw AuthError(.keyInvalid, "a number of the RSA key is missing or too large")
        }
        list.add(name, number: number)
      }
      try self.init(checking: PKey("RSA", list, selection: CGATEHOUSE_KEYPAIR))
    case .p256(let x, let y, let d):
      guard x.count == 32, y.count == 32, d.count == 32 else {
        throw AuthError(.keyInvalid, "the numbers of a P-256 key have 32 bytes each")
      }
      list.add(OSSL_PKEY_PARAM_GROUP_NAME, text: "prime256v1")
      list.add(OSSL_PKEY_PARAM_PUB_KEY, bytes: [4] + x + y)
      list.add(OSSL_PKEY_PARAM_PRIV_KEY, number: d)
      try self.init(checking: PKey("EC", list, selection: CGATEHOUSE_KEYPAIR))
    case .ed25519(let publicKey, let seed):
      guard seed.count == 32 else { throw AuthError(.keyInvalid, "an Ed25519 private key has 32 bytes") }
      // `unsafe`: the buffer holds the count that is passed.
      let key = unsafe seed.withUnsafeBufferPointer {
        unsafe EVP_PKEY_new_raw_private_key_ex(OpenSSL.context, "ED25519", nil, $0.baseAddress, $0.count)
      }
      try self.init(checking: PKey(key, "reading an Ed25519 key"))
      guard self.publicKey.parameters == .ed25519(publicKey) else {
        throw AuthError(.keyInvalid, "the private key does not belong to the public key beside it")
      }
    }
  }

  /// The key's numbers. Look for this name when you ask where private keys go.
  public func revealedParameters() throws(AuthError) -> Parameters {
    switch publicKey.parameters {
    case .rsa:
      var numbers: [[UInt8]] = []
      for name in Self.rsaNames { numbers.append(try key.number(name)) }
      return .rsa(Parameters.RSA(numbers))
    case .p256(let x, let y):
      return .p256(x: x, y: y, d: try key.number(OSSL_PKEY_PARAM_PRIV_KEY, length: 32))
    case .ed25519(let publicKey):
      return .ed25519(
        publicKey: publicKey, seed: try key.raw32 { unsafe EVP_PKEY_get_raw_private_key($0, $1, $2) })
    }
  }

  /// What OpenSSL calls the numbers of `Parameters.RSA`, in their order.
  private static let rsaNames = [
    "n", "e", "d", "rsa-factor1", "rsa-factor2", "rsa-exponent1", "rsa-exponent2", "rsa-coefficient1",
  ]
}

extension PrivateKey.Parameters.RSA {
  fileprivate var all: [[UInt8]] { [n, e, d, p, q, dp, dq, qi] }

  /// From eight numbers in the order of `all`.
  fileprivate init(_ all: [[UInt8]]) {
    self.init(n: all[0], e: all[1], d: all[2], p: all[3], q: all[4], dp: all[5], dq: all[6], qi: all[7])
  }
}
