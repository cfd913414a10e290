import CGatehouseOpenSSL
import GatehouseBase

/// A public key that passed every check, for verifying signatures or for key agreement.
///
/// Made from its numbers or from PEM, with the same checks. RSA keys have 2048 to 8192 bits, an odd exponent from 3 to
/// 2³², and do not come from a generator known to be faulty. Points are on their curve. Ed25519 and Ed448 keys are
/// canonical and not of small order. Anything else throws `keyInvalid`; unsupported kinds throw `keyUnsupported`.
/// Usable from any thread.
public struct PublicKey: Sendable {
  /// The numbers of a public key, big-endian.
  public enum Parameters: Sendable, Hashable {
    /// Neither number has leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// Both coordinates have the curve's length.
    case ec(EllipticCurve, x: [UInt8], y: [UInt8])
    /// The key as RFC 8032 or RFC 7748 encodes it.
    case okp(OKPCurve, [UInt8])
  }

  /// The numbers of the key.
  public let parameters: Parameters
  let key: PKey

  /// Makes a key from its numbers. Throws `keyInvalid` for a key that breaks a rule of this type.
  public init(_ parameters: Parameters) throws {
    self.parameters = parameters
    var list = ParameterList()
    switch parameters {
    case .rsa(let modulus, let exponent):
      try RSARules.check(modulus: modulus, exponent: exponent)
      list.add(OSSL_PKEY_PARAM_RSA_N, number: modulus)
      list.add(OSSL_PKEY_PARAM_RSA_E, number: exponent)
      key = try PKey("RSA", list, selection: CGATEHOUSE_PUBLIC_KEY)
    case .ec(let curve, let x, let y):
      guard x.count == curve.coordinateLength, y.count == curve.coordinateLength else {
        throw AuthError(
          .keyInvalid, "each coordinate of a \(curve.rawValue) key must have \(curve.coordinateLength) bytes")
      }
      list.add(OSSL_PKEY_PARAM_GROUP_NAME, text: curve.groupName)
      list.add(OSSL_PKEY_PARAM_PUB_KEY, bytes: [4] + x + y)
      key = try PKey("EC", list, selection: CGATEHOUSE_PUBLIC_KEY)
    case .okp(let curve, let bytes):
      try OKPRules.check(bytes, on: curve)
      // `unsafe`: the buffer has the length that is passed.
      key = try PKey(
        unsafe bytes.withUnsafeBufferPointer {
          unsafe EVP_PKEY_new_raw_public_key_ex(OpenSSL.context, curve.name, nil, $0.baseAddress, $0.count)
        }, "reading a key")
    }
  }

  /// The public half of a key that OpenSSL has read or made.
  init(of key: PKey) throws(AuthError) { self = try typed { try PublicKey(Parameters(of: key)) } }

  /// The type of the key.
  public var type: KeyType {
    switch parameters {
    case .rsa(let modulus, _): .rsa(bits: RSARules.bitCount(modulus))
    case .ec(let curve, _, _): .ec(curve)
    case .okp(let curve, _): .okp(curve)
    }
  }
}

extension PublicKey: Hashable {
  /// Whether both have the same numbers.
  public static func == (left: Self, right: Self) -> Bool { left.parameters == right.parameters }
  /// Hashes the numbers.
  public func hash(into hasher: inout Hasher) { parameters.hash(into: &hasher) }
}

extension PublicKey: CustomStringConvertible, CustomReflectable {
  private var kind: String {
    switch type {
    case .rsa(let bits): "RSA, \(bits) bits"
    case .ec(let curve): curve.rawValue
    case .okp(let curve): curve.rawValue
    }
  }
  /// The kind of the key: never its numbers, which `parameters` has.
  public var description: String { "PublicKey(\(kind))" }
  /// The same member, and no others.
  public var customMirror: Mirror { Mirror(self, children: ["kind": kind]) }
}

// MARK: PEM

extension PublicKey {
  /// Reads one `PUBLIC KEY` (SPKI) or `RSA PUBLIC KEY` (PKCS#1) block. A private key is rejected here, whatever it
  /// contains.
  public init(pem text: String) throws {
    switch try PEM.label(of: text) {
    case "PUBLIC KEY", "RSA PUBLIC KEY": break
    case let label where label.hasSuffix("PRIVATE KEY"):
      throw AuthError(.keyInvalid, "expected a public key, found a private key: keep it secret")
    case "CERTIFICATE":
      throw AuthError(
        .keyUnsupported, "expected a public key, found a certificate: read the certificate and use its key")
    case let label: throw AuthError(.keyUnsupported, "expected a PUBLIC KEY block, found \(label)")
    }
    try self.init(of: PEM.key(in: text) { unsafe PEM_read_bio_PUBKEY($0, nil, { _, _, _, _ in -1 }, nil) })
  }

  /// The key as a `PUBLIC KEY` block.
  public func pem() throws -> String {
    try PEM.text { unsafe PEM_write_bio_PUBKEY($0, key.raw) }
  }
}

extension PublicKey.Parameters {
  init(of key: PKey) throws(AuthError) {
    if key.isA("RSA") {
      self = .rsa(modulus: try key.number(OSSL_PKEY_PARAM_RSA_N), exponent: try key.number(OSSL_PKEY_PARAM_RSA_E))
    } else if key.isA("EC"), !key.spellsItsCurve, let curve = key.groupName.flatMap(EllipticCurve.init(groupName:)) {
      self = .ec(
        curve, x: try key.number(OSSL_PKEY_PARAM_EC_PUB_X, length: curve.coordinateLength),
        y: try key.number(OSSL_PKEY_PARAM_EC_PUB_Y, length: curve.coordinateLength))
    } else if let curve = OKPCurve.allCases.first(where: { key.isA($0.name) }) {
      self = .okp(
        curve, try key.rawBytes(curve.keyLength) { unsafe EVP_PKEY_get_raw_public_key($0, $1, $2) }.revealed)
    } else {
      throw AuthError(
        .keyUnsupported, "unsupported key type or curve; elliptic curves must be given by name")
    }
  }
}

extension PKey {
  /// Whether an EC key contained its curve's numbers instead of the name (forbidden by RFC 5480 §2.1.1).
  fileprivate var spellsItsCurve: Bool {
    var answer: Int32 = 0
    // `unsafe`: writes one number.
    guard unsafe EVP_PKEY_get_int_param(raw, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &answer) == 1 else {
      OpenSSL.drain()
      return false
    }
    return answer != 0
  }

  /// The name of an EC key's curve.
  fileprivate var groupName: String? {
    var name = Array(repeating: CChar(0), count: 64)
    var count = 0
    // `unsafe`: the buffer has the length that is passed, and OpenSSL ends the text with a zero.
    guard unsafe EVP_PKEY_get_group_name(raw, &name, name.count, &count) == 1 else {
      OpenSSL.drain()
      return nil
    }
    return String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
