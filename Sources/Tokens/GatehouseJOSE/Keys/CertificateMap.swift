public import FoundationEssentials
public import GatehouseBase
import GatehouseCrypto

// Keys as certificates, the way Google publishes them: an object whose members are certificates in PEM by the names of
// their keys.
extension JWKSet {
  /// Reads keys in either form in which servers publish them: a JWK set, which has a list called `keys`, or a map of
  /// certificates, which has texts only.
  ///
  /// The certificates' source vouches for them: chains are not verified. One that is not
  /// valid at `moment`, or whose key type is not supported, is skipped and counted. Strict, as
  /// `init(parsing:)`; `keySetInvalid` for what is neither form, `certificateInvalid` and `keyInvalid` for what is in
  /// it.
  public init(published bytes: some Sequence<UInt8>, at moment: Date) throws(AuthError) {
    try self.init(published: bytes, at: moment.wall)
  }

  /// Reads keys in either form, at a moment in seconds since 1970.
  package init(published bytes: some Sequence<UInt8>, at now: Double) throws(AuthError) {
    let json = try JSONValue(parsing: bytes, limits: .keys(JWKSet.maximumCount))
    guard json["keys"]?.array == nil else {
      try self.init(json)
      return
    }
    guard let map = json.object, !map.isEmpty, map.members.allSatisfy({ $0.value.isPEM }) else {
      throw AuthError(
        .keySetInvalid, "expected a JWK set or an object of PEM certificates by `kid`")
    }
    try self.init(certificates: map, at: now)
  }

  /// The keys of certificates by their names.
  init(certificates: JSONObject, at now: Double) throws(AuthError) {
    var keys: [JSONValue] = []
    for member in certificates.members {
      guard let pem = member.value.string else {
        throw AuthError(.keySetInvalid, "a certificate of the set must be a string")
      }
      keys.append(try Self.key(of: X509Certificate(pem: pem), named: member.name, at: now) ?? Self.unknown)
    }
    try self.init(["keys": .array(keys)])
  }

  /// The certificate's key; `nil` if it is out of its time, or of a kind that is not known here.
  private static func key(
    of certificate: X509Certificate, named name: String, at now: Double
  ) throws(AuthError) -> JSONValue? {
    guard certificate.notBefore.wall <= now, now < certificate.notAfter.wall else { return nil }
    do {
      return try JWK(.publicKey(certificate.publicKey), keyID: name, use: "sig").json
    } catch {
      guard error.code == .keyUnsupported else { throw error }
      return nil
    }
  }

  /// What a set skips and counts.
  private static let unknown: JSONValue = ["kty": "X.509"]
}

extension JSONValue {
  /// Whether this is a text that may be PEM: the members of a single JWK are texts too.
  fileprivate var isPEM: Bool { string?.utf8.contains("-----BEGIN ".utf8) ?? false }
}
