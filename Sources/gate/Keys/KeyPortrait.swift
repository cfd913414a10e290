import Foundation
import GatehouseBase
import GatehouseJOSE

/// The public facts about a key: its kind, size, labels and fingerprints. There are no secret numbers among them.
struct KeyPortrait {
  /// The facts by name, in their order. Facts that the key does not have are left out.
  private var facts: JSONObject = [:]

  init(_ key: JWK) throws(AuthError) {
    facts["key"] = .string(Self.half(key.key))
    switch key.key.publicKey?.type {
    case .rsa(let bits)?:
      facts["kty"] = "RSA"
      facts["bits"] = .number(JSONNumber(bits))
    case .ec(let curve)?:
      facts["kty"] = "EC"
      facts["crv"] = .string(curve.rawValue)
    case .okp(let curve)?:
      facts["kty"] = "OKP"
      facts["crv"] = .string(curve.rawValue)
    case nil:
      facts["kty"] = "oct"
      if case .symmetric(let secret) = key.key { facts["bits"] = .number(JSONNumber(secret.count * 8)) }
    }
    facts["kid"] = key.keyID.map(JSONValue.string)
    facts["alg"] = (key.algorithm?.rawValue).map(JSONValue.string)
    facts["use"] = key.use.map(JSONValue.string)
    facts["key_ops"] = key.operations.map { .array($0.map(JSONValue.string)) }
    // The fingerprints of a shared secret would be made from the secret itself.
    guard let publicKey = key.key.publicKey else { return }
    facts["thumbprint"] = .string(try typed { try key.thumbprint() })
    facts["spki_sha256"] = .string(Self.hexadecimal(try HashAlgorithm.sha256.digest(of: Self.der(of: publicKey))))
    if let certificate = key.certificates.first {
      facts["subject"] = .string(certificate.subject)
      facts["not_before"] = .string(Self.moment(certificate.notBefore.wall))
      facts["not_after"] = .string(Self.moment(certificate.notAfter.wall))
    }
    facts["x5t#S256"] = key.certificateFingerprint.map { .string(Base64URL.encode($0)) }
  }

  var json: JSONObject { facts }

  /// One line for each fact.
  var text: String {
    facts.members.map { fact in
      let space = String(repeating: " ", count: max(2, 13 - fact.name.count))
      return fact.name + space + (fact.value.string ?? "\(fact.value)")
    }.table
  }

  private static func half(_ key: JWK.Key) -> String {
    switch key {
    case .publicKey: "public"
    case .privateKey: "private"
    case .symmetric: "shared secret"
    }
  }

  /// Returns the key as SubjectPublicKeyInfo, which PEM contains in base64.
  private static func der(of key: PublicKey) throws(AuthError) -> [UInt8] {
    try Base64.decode(typed { try key.pem().split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined() })
  }

  /// Returns a time, given in seconds since 1970, in the form `2026-11-21T08:25:34Z`.
  private static func moment(_ seconds: Double) -> String { Date(timeIntervalSince1970: seconds).ISO8601Format() }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
