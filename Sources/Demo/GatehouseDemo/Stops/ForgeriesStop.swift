import Gatehouse
import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import GatehouseLocal

extension TourStop {
  static let forgeries = TourStop("Forged tokens are refused, each with its reason") { stage, evidence in
    let token = try await stage.user().getIDToken()
    let keys = try await stage.provider.keySet()
    // A careless policy that accepts shared secrets too: the key alone must refuse what it is not for.
    let policy = VerificationPolicy.firebaseIDToken(project: stage.provider.audience, algorithms: [.RS256, .HS256])
    let verifier = TokenVerifier(keys: keys, policy: policy)
    let now = stage.now
    _ = try verifier.verify(token, at: now)  // this verifier accepts the genuine token

    let forger = try Forger(token, keys.keys.first?.key.publicKey)
    let forgeries: [(name: String, token: String, reason: AuthError.Code)] = [
      ("tampered", forger.tampered, .signatureInvalid),
      ("alg none", forger.unsigned(keepingSignature: true), .algorithmRefused),
      ("alg none, unsigned", forger.unsigned(keepingSignature: false), .tokenMalformed),
      ("HMAC with the public key", try forger.signedWithPublicKey(), .algorithmRefused),
    ]
    var notes: [String] = []
    for forgery in forgeries {
      var reason: AuthError.Code?
      do throws(AuthError) { _ = try verifier.verify(forgery.token, at: now) } catch { reason = error.code }
      evidence.expect(forgery.name, reason.map { "\($0)" } ?? "accepted", is: "\(forgery.reason)")
      notes.append("\(forgery.name) → \(reason.map { "\($0)" } ?? "accepted")")
    }
    evidence.note = notes.joined(separator: ", ")
  }
}

/// Makes forgeries from a genuine token, as attackers do.
private struct Forger {
  private let header: JSONObject
  private let claims: JSONObject
  private let parts: [Substring]
  private let key: PublicKey

  init(_ token: String, _ key: PublicKey?) throws(AuthError) {
    let genuine = try typed { try UnverifiedToken(token) }
    guard let key else { throw AuthError(.unknownKey, "the provider has published no key") }
    (header, claims, parts, self.key) = (genuine.header.members, genuine.claims, token.split(separator: "."), key)
  }

  /// The token with another subject.
  var tampered: String {
    var claims = claims
    claims["sub"] = "another-user"
    return "\(parts[0]).\(Base64URL.encode(claims.serialized())).\(parts[2])"
  }

  func unsigned(keepingSignature: Bool) -> String {
    "\(head(algorithm: "none")).\(parts[1]).\(keepingSignature ? parts[2] : "")"
  }

  /// Returns the token, signed with the public key as if that were a shared secret. A verifier that trusts the header's
  /// `alg` would accept it.
  func signedWithPublicKey() throws(AuthError) -> String {
    let message = "\(head(algorithm: "HS256")).\(parts[1])"
    return "\(message).\(Base64URL.encode(try hmac(Array(message.utf8), key: Array(try typed { try key.pem().utf8 }))))"
  }

  private func head(algorithm: String) -> String {
    var header = header
    header["alg"] = .string(algorithm)
    return Base64URL.encode(header.serialized())
  }

  /// Computes the HMAC by hand (RFC 2104), because `SecretKey` refuses a public key.
  private func hmac(_ message: [UInt8], key: [UInt8]) throws(AuthError) -> [UInt8] {
    let hashed = try typed {
      try HashAlgorithm.sha256.hash(key)
    }  // the key is longer than a block, as any public key is
    let block = hashed + [UInt8](repeating: 0, count: 64 - hashed.count)
    return try typed {
      try HashAlgorithm.sha256.hash(
        block.map { $0 ^ 0x5C } + HashAlgorithm.sha256.hash(block.map { $0 ^ 0x36 } + message))
    }
  }
}
