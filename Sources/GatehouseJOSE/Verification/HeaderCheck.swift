import GatehouseBase
import GatehouseCrypto
import Synchronization

/// Leads from a header to the key that must have signed, for one set of keys and one policy.
///
/// A provider's tokens have few different headers: those under which a signature was good are remembered, up to a
/// number, and next time compared as they are spelled. Nothing else gets in, so nobody can fill the place with junk;
/// and as keys and policy never change, nothing needs to be taken out. No lock.
final class HeaderCheck: Sendable {
  private let keys: JWKSet
  private let policy: VerificationPolicy
  private let rule: @Sendable (TokenHeader) throws(AuthError) -> Void
  /// Ready for use: what each key may verify, by its place in the set.
  private let checks: [[JWSAlgorithm: SignatureCheck]]
  private let known = InlineArray<16, AtomicLazyReference<RecognisedHeader>> { _ in AtomicLazyReference() }

  /// `rule` holds what is asked of a header besides its algorithm and key.
  init(
    _ keys: JWKSet, _ policy: VerificationPolicy, rule: @escaping @Sendable (TokenHeader) throws(AuthError) -> Void
  ) {
    self.keys = keys
    self.policy = policy
    self.rule = rule
    checks = keys.keys.map { key in
      var checks: [JWSAlgorithm: SignatureCheck] = [:]
      for algorithm in policy.algorithms { checks[algorithm] = try? SignatureCheck(key, algorithm) }
      return checks
    }
  }

  /// Checks a header, in base64url, and finds its key.
  func recognise(_ text: Span<UInt8>) throws(AuthError) -> RecognisedHeader {
    for place in known.indices {
      guard let header = known[place].load() else { break }
      if header.isSpelled(text) { return header }
    }
    let header = try TokenHeader(JSONObject(parsing: Base64URL.decode(text), limits: policy.limits.json))
    try rule(header)
    let check = try check(for: header)
    return RecognisedHeader(text: [UInt8](copying: text), header: header, check: check)
  }

  /// Remembers a header under which a signature was good.
  func remember(_ header: RecognisedHeader) {
    for place in known.indices {
      guard let other = known[place].load() else {
        if known[place].storeIfNil(header) === header { return }
        continue
      }
      if other === header { return }
    }
  }

  private func check(for header: TokenHeader) throws(AuthError) -> SignatureCheck {
    guard let algorithm = JWSAlgorithm(rawValue: header.algorithm), policy.algorithms.contains(algorithm) else {
      throw AuthError(.algorithmRefused, "the token's algorithm is not among those that are accepted")
    }
    guard header.keyID != nil || !policy.requiresKeyID else {
      throw AuthError(.unknownKey, "the token does not say which key signed it")
    }
    let place = try keys.place(named: header.keyID)
    if let check = checks[place][algorithm] { return check }
    return try SignatureCheck(keys.keys[place], algorithm)
  }
}

extension [UInt8] {
  /// A copy of some bytes.
  init(copying bytes: Span<UInt8>) {
    self.init(capacity: bytes.count) { output in
      for place in bytes.indices { output.append(bytes[place]) }
    }
  }
}
