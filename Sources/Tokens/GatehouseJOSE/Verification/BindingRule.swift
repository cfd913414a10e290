import GatehouseBase

/// Whether a token may be bound to a key of its sender: `cnf` (RFC 7800), with DPoP's `jkt`, with the `x5t#S256` of
/// mutual TLS (RFC 8705), or with any other member.
///
/// A bound token is valid only together with a proof of that key, which a `TokenVerifier` does not see. A server that
/// accepts one as a bearer token accepts it from a thief.
public enum BindingRule: Sendable, Hashable {
  /// The token may be bound or not. The program itself requires the proof for a bound token.
  case any
  /// The token must not be bound: for requests with only the token (`Authorization: Bearer`).
  case bearer
  /// The token must be bound to one key: for requests that also have a proof, which the program verifies next: see
  /// `DPoPVerifier`. A `cnf` with two of `jkt`, `x5t#S256`, `jwk`, `jwe` and `jku` throws `claimInvalid` (RFC 7800
  /// §3.1), because the proof of one key would count for both.
  case bound
}

extension BindingRule {
  /// The members of `cnf` that each name a key. `kid` is not one of them: it selects a key of a `jku`.
  private static let names = ["jkt", "x5t#S256", "jwk", "jwe", "jku"]

  /// Throws `claimInvalid` if a `cnf` has more than one member that names a key.
  static func requireOneKey(in confirmation: JSONValue?) throws(AuthError) {
    let found = names.filter { confirmation?[$0] != nil }
    guard found.count > 1 else { return }
    let list = found.map { "`\($0)`" }.joined(separator: " and ")
    throw AuthError(.claimInvalid, "`cnf` has \(list): it must name one key, which one proof is for")
  }
}
