/// The time limits, in seconds.
package struct Timeouts: Sendable, Hashable {
  /// The limit of one public call, unless the call sets its own.
  package var call: Double = 30
  /// The limit of one attempt to refresh a token.
  package var refresh: Double = 30
  /// The limit of a call's wait for the store.
  package var store: Double = 10

  package init() {}
}
