/// How long things may take, in seconds.
package struct Timeouts: Sendable, Hashable {
  /// One public call, unless the call itself says otherwise.
  package var call: Double = 30
  /// One attempt to refresh a token.
  package var refresh: Double = 30
  /// How long a call waits for the store.
  package var store: Double = 10

  package init() {}
}
