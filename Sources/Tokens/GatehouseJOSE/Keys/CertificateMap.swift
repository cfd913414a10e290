public import FoundationEssentials
import GatehouseBase
import GatehouseCrypto

// Keys as certificates, as Google publishes them: an object whose members are PEM certificates by key ID.
extension JWKSet {
  /// Reads keys in either form in which servers publish them: a JWK set, which has a list called `keys`, or a map of
  /// certificates, at least one of which is PEM.
  ///
  /// The certificates are trusted because of their source: chains are not verified. A certificate that is not valid at
  /// `moment`, that cannot be read, or whose key cannot be used is skipped, with its reason in `omissions`. Tolerant,
  /// as `init(parsing:)`. Throws `keySetInvalid` for neither form, and for a private key.
  public init(published bytes: some Sequence<UInt8>, at moment: Date) throws {
    try self.init(published: bytes, at: moment.wall)
  }

  /// Reads keys in either form, with certificates valid at a time in seconds since 1970.
  package init(published bytes: some Sequence<UInt8>, at now: Double) throws(AuthError) {
    let json = try JSONValue(reading: bytes.withoutByteOrderMark, limits: .keys(JWKSet.maximumCount))
    try self.init(published: json, at: now)
  }

  /// Reads the keys of JSON in either form.
  init(published json: borrowing JSONValue, at now: Double) throws(AuthError) {
    guard json["keys"]?.array == nil else {
      self = try typed { try JWKSet(json) }
      return
    }
    guard let map = json.object, map.members.contains(where: { $0.value.isPEM }) else {
      throw AuthError(
        .keySetInvalid,
        "expected a JWK set or an object of PEM certificates by `kid`"
          + (json["kty"]?.string == nil ? "" : "; this is one JWK, not a set"))
    }
    try self.init(certificates: map, at: now)
  }

  /// Reads the keys of certificates by key ID. An object without certificates is allowed only if it is empty.
  init(certificates: JSONObject, at now: Double) throws(AuthError) {
    guard certificates.isEmpty || certificates.members.contains(where: { $0.value.isPEM }) else {
      throw AuthError(.keySetInvalid, "expected an object of PEM certificates by `kid`")
    }
    var reader = KeySetReader()
    for (index, member) in certificates.members.enumerated() {
      guard !member.value.isPrivateKey else { throw JWKSet.privateKey }
      let isName = member.name.utf8.count <= JWK.maximumKeyIDLength
      do throws(AuthError) {
        guard isName else {
          throw AuthError(.keyInvalid, "`kid` is longer than \(JWK.maximumKeyIDLength) bytes")
        }
        reader.add(try Self.key(of: member.value, named: member.name, at: now), at: index)
      } catch {
        reader.skip(index, isName ? member.name : nil, error)
      }
    }
    try self.init(&reader)
  }

  /// The key of a PEM certificate that is valid now.
  private static func key(of value: JSONValue, named name: String, at now: Double) throws(AuthError) -> JWK {
    guard let pem = value.string, value.isPEM else {
      throw AuthError(.certificateInvalid, "expected a certificate in PEM")
    }
    let certificate = try typed { try X509Certificate(pem: pem) }
    guard certificate.notBefore.wall <= now, now < certificate.notAfter.wall else {
      throw AuthError(.certificateInvalid, "the certificate is not valid at this moment")
    }
    let key = try typed { try JWK(.publicKey(certificate.publicKey), keyID: name, use: "sig") }
    guard key.isForSignatures else { throw AuthError(.keyUnsupported, "the key is not for signatures") }
    return key
  }
}

extension JSONValue {
  /// Whether this is a string that may be PEM. The members of a single JWK are strings too.
  fileprivate var isPEM: Bool { string?.utf8.contains("-----BEGIN ".utf8) ?? false }

  /// Whether this is a private key in PEM.
  fileprivate var isPrivateKey: Bool { isPEM && string?.utf8.contains("PRIVATE KEY-----".utf8) ?? false }
}
