public import GatehouseBase

/// Who calls the provider: known to a server that hands on the calls of its clients.
public struct Caller: Sendable, Hashable {
  /// The client's network address, as text: failures of all addresses with the same text count together. A server
  /// behind a proxy takes care that clients cannot choose it.
  public var address: String?
  /// The cookie of the client's device, of `LocalBackend.deviceCookie(forIDToken:)`.
  public var device: Secret?
  /// Whether the caller has shown an administrator's credential: only such a one is answered an `AdminCall`.
  public var isAdministrator = false

  /// A caller of whom nothing is known, unless it is given.
  public init(address: String? = nil, device: Secret? = nil) {
    self.address = address
    self.device = device
  }

  /// One who has shown an administrator's credential.
  static let administrator: Caller = {
    var caller = Caller()
    caller.isAdministrator = true
    return caller
  }()

  /// The caller of the call that this thread answers.
  @TaskLocal static var current = Caller()

  /// Runs work that answers this caller, on this thread.
  func answering<Value>(_ work: () throws(AuthError) -> Value) -> Result<Value, AuthError> {
    Self.$current.withValue(self) { Result { () throws(AuthError) in try work() } }
  }
}
