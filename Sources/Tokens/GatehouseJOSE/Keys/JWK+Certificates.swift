import GatehouseBase
public import GatehouseCrypto

extension JWK {
  /// Returns the same key with its certificates, its own first. Chains are not verified: see `CertificateChain`.
  ///
  /// Throws `keyInvalid` if the first certificate is for another key, or if there is none (RFC 7517 §4.7).
  public func certified(by chain: [X509Certificate]) throws -> JWK {
    guard let first = chain.first else {
      throw AuthError(.keyInvalid, "the certificate chain is empty")
    }
    guard let own = key.publicKey, own == (try? first.publicKey) else {
      throw AuthError(.keyInvalid, "the certificate does not match the JWK's key")
    }
    var certified = self
    certified.certificates = chain
    certified.certificateFingerprint = first.sha256Fingerprint
    return certified
  }

  /// The key with the certificates in its JSON. The first one of `x5c` must be for this key.
  func certified(byChain members: JSONObject) throws(AuthError) -> JWK {
    guard let list = members["x5c"] else { return self }
    let chain: [X509Certificate]
    do throws(AuthError) { chain = try typed { try X509Certificate.chain(x5c: list) } } catch {
      throw AuthError(.keyInvalid, "invalid `x5c`: \(error.message)")
    }
    return try typed { try certified(by: chain) }
  }

  /// The key with its certificate's hash. `x5t#S256` must match `x5c`, if the key has one.
  func certified(byHash members: JSONObject) throws(AuthError) -> JWK {
    guard let stated = members["x5t#S256"] else { return self }
    guard let text = stated.string, let fingerprint = try? Base64URL.bytes(of: text),
      fingerprint.count == HashAlgorithm.sha256.length,
      fingerprint == certificateFingerprint ?? fingerprint
    else { throw AuthError(.keyInvalid, "`x5t#S256` is not the SHA-256 hash of the certificate") }
    var key = self
    key.certificateFingerprint = fingerprint
    return key
  }
}
