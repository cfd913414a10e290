import ArgumentParser
import GatehouseBase
import GatehouseJOSE

/// The formats in which a key is written.
enum KeyForm: String, ExpressibleByArgument, CaseIterable {
  case jwk, pem

  /// Returns the whole key, private numbers included, with a line end at the end.
  func text(of key: JWK, passphrase: Secret? = nil) throws(AuthError) -> Secret {
    switch (self, key.key) {
    case (.jwk, _):
      guard passphrase == nil else { throw AuthError(.invalidArgument, "a JWK cannot be encrypted; write PEM") }
      return Secret("\(try typed { try key.jsonRevealingSecrets() })\n")
    case (.pem, .privateKey(let key)):
      guard let passphrase else { return try typed { try key.pem() } }
      return try typed { try key.pem(passphrase: passphrase) }
    case (.pem, .publicKey(let key)):
      guard passphrase == nil else {
        throw AuthError(.invalidArgument, "a public key cannot be encrypted; leave the passphrase out")
      }
      return Secret(try typed { try key.pem() })
    case (.pem, .symmetric): throw AuthError(.invalidArgument, "a shared secret cannot be written as PEM")
    }
  }
}

extension JWK {
  /// Whether only the key's owners may see it.
  var isSecret: Bool { if case .publicKey = key { false } else { true } }

  /// Returns the public half. A shared secret has none.
  func publicHalf() throws(AuthError) -> JWK {
    guard let half = publicJWK else { throw AuthError(.invalidArgument, "a shared secret has no public half") }
    return half
  }

  /// Returns the key with a key ID. If it has none, its thumbprint is used.
  func named() throws(AuthError) -> JWK {
    var named = self
    if keyID == nil { named.keyID = try typed { try thumbprint() } }
    return named
  }
}
