import CGatehouseOpenSSL
import GatehouseBase

extension PrivateKey {
  /// The numbers of a private key, big-endian. Secret: anyone who has them can sign in your name.
  public enum Parameters: Sendable {
    /// With all numbers for the Chinese remainder theorem. Keys without their primes are not supported.
    case rsa(RSA)
    /// All numbers are as long as the curve's coordinates.
    case ec(EllipticCurve, x: [UInt8], y: [UInt8], d: SecretBytes)
    /// The keys as RFC 8032 or RFC 7748 encodes them.
    case okp(OKPCurve, publicKey: [UInt8], privateKey: SecretBytes)

    /// The numbers of an RSA key, by their names in RFC 7518.
    public struct RSA: Sendable {
      /// Modulus and public exponent, big-endian, without leading zeros.
      public var n, e: [UInt8]
      /// The private numbers of RFC 7518 §6.3.2, big-endian.
      public var d, p, q, dp, dq, qi: SecretBytes

      /// Makes the numbers of an RSA key pair. They are checked when a `PrivateKey` is made from them.
      public init(
        n: [UInt8], e: [UInt8], d: SecretBytes, p: SecretBytes, q: SecretBytes, dp: SecretBytes, dq: SecretBytes,
        qi: SecretBytes
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

  /// Makes a key from its numbers, and checks that they match.
  public init(_ parameters: Parameters) throws {
    SlowWork.begins(.privateKey)
    var list = ParameterList()
    switch parameters {
    case .rsa(let numbers):
      try RSARules.check(modulus: numbers.n, exponent: numbers.e)
      list.add(OSSL_PKEY_PARAM_RSA_N, number: numbers.n)
      list.add(OSSL_PKEY_PARAM_RSA_E, number: numbers.e)
      for (name, number) in zip(Self.rsaNames, numbers.secrets) {
        guard number.count > 0, number.count <= numbers.n.count else {
          throw AuthError(.keyInvalid, "an RSA parameter is missing or too large")
        }
        list.add(name, number: number)
      }
      try self.init(checking: PKey("RSA", list, selection: CGATEHOUSE_KEYPAIR))
    case .ec(let curve, let x, let y, let d):
      guard [x.count, y.count, d.count].allSatisfy({ $0 == curve.coordinateLength }) else {
        throw AuthError(
          .keyInvalid, "each parameter of a \(curve.rawValue) key must have \(curve.coordinateLength) bytes")
      }
      list.add(OSSL_PKEY_PARAM_GROUP_NAME, text: curve.groupName)
      list.add(OSSL_PKEY_PARAM_PUB_KEY, bytes: [4] + x + y)
      list.add(OSSL_PKEY_PARAM_PRIV_KEY, number: d)
      try self.init(checking: PKey("EC", list, selection: CGATEHOUSE_KEYPAIR))
    case .okp(let curve, let publicKey, let privateKey):
      guard privateKey.count == curve.keyLength else {
        throw AuthError(.keyInvalid, "an \(curve.rawValue) private key must have \(curve.keyLength) bytes")
      }
      // `unsafe`: the buffer has the length that is passed.
      let key = unsafe privateKey.withBytes { bytes in
        unsafe bytes.withUnsafeBufferPointer {
          unsafe EVP_PKEY_new_raw_private_key_ex(OpenSSL.context, curve.name, nil, $0.baseAddress, $0.count)
        }
      }
      try self.init(checking: PKey(key, "reading a key"))
      guard self.publicKey.parameters == .okp(curve, publicKey) else {
        throw AuthError(.keyInvalid, "the private key does not match the public key")
      }
    }
  }

  /// The key's numbers. Search for this name to find where private keys are exposed.
  public func revealedParameters() throws -> Parameters {
    switch publicKey.parameters {
    case .rsa(let n, let e):
      var numbers: [SecretBytes] = []
      for name in Self.rsaNames { numbers.append(try key.secretNumber(name)) }
      return .rsa(Parameters.RSA(n: n, e: e, secrets: numbers))
    case .ec(let curve, let x, let y):
      let d = try key.secretNumber(OSSL_PKEY_PARAM_PRIV_KEY, length: curve.coordinateLength)
      return .ec(curve, x: x, y: y, d: d)
    case .okp(let curve, let publicKey):
      let bytes = try key.rawBytes(curve.keyLength) { unsafe EVP_PKEY_get_raw_private_key($0, $1, $2) }
      return .okp(curve, publicKey: publicKey, privateKey: bytes)
    }
  }

  /// OpenSSL's names of the secret numbers of `Parameters.RSA`, in the same order.
  private static let rsaNames = [
    "d", "rsa-factor1", "rsa-factor2", "rsa-exponent1", "rsa-exponent2", "rsa-coefficient1",
  ]
}

extension PrivateKey.Parameters.RSA {
  fileprivate var secrets: [SecretBytes] { [d, p, q, dp, dq, qi] }

  /// Takes six secret numbers in the order of `secrets`.
  fileprivate init(n: [UInt8], e: [UInt8], secrets: [SecretBytes]) {
    self.init(
      n: n, e: e, d: secrets[0], p: secrets[1], q: secrets[2], dp: secrets[3], dq: secrets[4], qi: secrets[5])
  }
}
