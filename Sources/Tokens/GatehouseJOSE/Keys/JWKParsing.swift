public import GatehouseBase
import GatehouseCrypto

extension JWK {
  /// The maximum length of a key ID, in bytes.
  static let maximumKeyIDLength = 256

  /// Reads a key from JSON text, strictly.
  public init(parsing bytes: some Sequence<UInt8>) throws {
    try self.init(JSONValue(reading: bytes, limits: .keys))
  }

  /// Reads a key from JSON.
  ///
  /// Throws `keyInvalid` for a key that breaks a rule, and `keyUnsupported` for an unsupported type, curve or
  /// algorithm: a set may contain such keys for other readers. Throws `algorithmRefused` for an `alg` that keys of this
  /// type do not support.
  public init(_ json: borrowing JSONValue) throws {
    // `borrowing`: Swift 6.3's optimizer fails to initialize an array literal that is passed and never read, and
    // destroying it then crashes.
    guard let members = json.object else { throw AuthError(.keyInvalid, "expected a JWK: a JSON object") }
    self = try JWK(bare: members).certified(byChain: members).certified(byHash: members)
  }

  /// Reads a key without its certificates.
  init(bare members: JSONObject, allowingLeadingZeros: Bool = false) throws(AuthError) {
    let reader = JWKReader(members, allowsLeadingZeros: allowingLeadingZeros)
    let type = try reader.text("kty")
    let name = try reader.optionalText("alg")
    let use = try reader.optionalText("use")
    let operations = try reader.operations()
    let keyID = try reader.optionalText("kid")
    let algorithm = name.flatMap(Algorithm.init(rawValue:))
    guard (name == nil) == (algorithm == nil) else {
      throw AuthError(.keyUnsupported, "unsupported `alg`")
    }
    try self.init(try reader.key(type: type), keyID: keyID, named: algorithm, use: use, operations: operations)
    // `issuer` is not a registered member: whatever else it contains, the key stays usable.
    issuer = members["issuer"]?.string.flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension JSONLimits {
  /// For keys and sets of keys: 256 KiB.
  static let keys = keys(64)

  static func keys(_ members: Int) -> JSONLimits { JSONLimits(bytes: 256 << 10, members: members) }
}

/// Reads the members of one JWK.
private struct JWKReader {
  private let members: JSONObject
  /// Whether leading zeros of an RSA modulus are dropped. Java's numbers have one as their sign.
  private let allowsLeadingZeros: Bool

  init(_ members: JSONObject, allowsLeadingZeros: Bool) {
    self.members = members
    self.allowsLeadingZeros = allowsLeadingZeros
  }

  func key(type: String) throws(AuthError) -> JWK.Key {
    // Compared as bytes: a switch over strings treats the Kelvin sign as the letter K.
    switch Array(type.utf8) {
    case Array("RSA".utf8): try rsa()
    case Array("EC".utf8): try ec()
    case Array("OKP".utf8): try okp()
    case Array("oct".utf8): .symmetric(try typed { try SecretKey(bytes("k")) })
    default: throw AuthError(.keyUnsupported, "unsupported `kty`")
    }
  }

  private func rsa() throws(AuthError) -> JWK.Key {
    var n = try bytes("n")
    if allowsLeadingZeros { n = Array(n.drop { $0 == 0 }) }
    let e = try bytes("e")
    guard members["d"] != nil else {
      guard ["p", "q", "dp", "dq", "qi", "oth"].allSatisfy({ members[$0] == nil }) else {
        throw AuthError(.keyInvalid, "the JWK has private parameters but no `d`")
      }
      return .publicKey(try typed { try PublicKey(.rsa(modulus: n, exponent: e)) })
    }
    guard members["oth"] == nil else {
      throw AuthError(.keyUnsupported, "RSA keys with more than two primes are not supported")
    }
    let numbers = PrivateKey.Parameters.RSA(
      n: n, e: e, d: try secret("d"), p: try secret("p"), q: try secret("q"), dp: try secret("dp"),
      dq: try secret("dq"), qi: try secret("qi"))
    return .privateKey(try typed { try PrivateKey(.rsa(numbers)) })
  }

  private func ec() throws(AuthError) -> JWK.Key {
    guard let curve = EllipticCurve(rawValue: try text("crv")) else {
      throw AuthError(.keyUnsupported, "unsupported `crv`")
    }
    let x = try bytes("x")
    let y = try bytes("y")
    guard members["d"] != nil else { return .publicKey(try typed { try PublicKey(.ec(curve, x: x, y: y)) }) }
    return .privateKey(try typed { try PrivateKey(.ec(curve, x: x, y: y, d: try secret("d"))) })
  }

  private func okp() throws(AuthError) -> JWK.Key {
    guard let curve = OKPCurve(rawValue: try text("crv")) else {
      throw AuthError(.keyUnsupported, "unsupported `crv`")
    }
    let x = try bytes("x")
    guard members["d"] != nil else { return .publicKey(try typed { try PublicKey(.okp(curve, x)) }) }
    return .privateKey(try typed { try PrivateKey(.okp(curve, publicKey: x, privateKey: try secret("d"))) })
  }

  func operations() throws(AuthError) -> [String]? {
    guard let value = members["key_ops"] else { return nil }
    let operations = value.array?.compactMap(\.string) ?? []
    guard operations.count == value.array?.count, Set(operations).count == operations.count else {
      throw AuthError(.keyInvalid, "`key_ops` must be an array of distinct strings")
    }
    return operations
  }

  func optionalText(_ name: String) throws(AuthError) -> String? {
    members[name] == nil ? nil : try text(name)
  }

  func text(_ name: String) throws(AuthError) -> String {
    guard let text = members[name]?.string else { throw AuthError(.keyInvalid, "`\(name)` is missing or not a string") }
    return text
  }

  private func secret(_ name: String) throws(AuthError) -> SecretBytes {
    var bytes = try bytes(name)
    return SecretBytes(moving: &bytes)
  }

  private func bytes(_ name: String) throws(AuthError) -> [UInt8] {
    do { return try Base64URL.bytes(of: text(name)) } catch {
      throw AuthError(.keyInvalid, "invalid `\(name)`: \(error.message)")
    }
  }
}
