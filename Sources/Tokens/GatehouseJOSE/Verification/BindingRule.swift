/// Whether a token may be bound to a key of its sender: `cnf` (RFC 7800), with DPoP's `jkt`, with the `x5t#S256` of
/// mutual TLS (RFC 8705), or with any other member.
///
/// A bound token is good only beside a proof of that key, which a `TokenVerifier` does not see. A server that takes one
/// as a bearer token accepts it from a thief.
public enum BindingRule: Sendable, Hashable {
  /// Bound or not. The program itself asks for the proof of a token that is bound.
  case any
  /// Not bound: for requests that bring the token alone (`Authorization: Bearer`).
  case bearer
  /// Bound: for requests that bring a proof too, which the program verifies next: see `DPoPVerifier`.
  case bound
}
