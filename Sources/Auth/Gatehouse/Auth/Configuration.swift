public import Dispatch
public import IdentityToolkit
public import Logging

extension Auth {
  /// What an `Auth` works with. Everything but the backend has a default.
  public struct Configuration: Sendable {
    /// Answers the calls: an embedded provider, an HTTP client, a test's script.
    public var backend: any Backend
    /// Keeps the session between runs. In memory unless you say otherwise.
    public var store: any CredentialStore
    /// Where completions and listeners are called. A server or tool whose main queue nobody drains sets another, or
    /// uses the `async` calls, which need none.
    public var callbackQueue: DispatchQueue
    /// Where time comes from.
    public var clocks: any Clocks
    /// Where jitter and session identifiers come from.
    public var random: any RandomSource
    /// Where Gatehouse logs: never a password or a token. Its handler runs on a background queue.
    public var logger: Logger
    public var timeouts: Timeouts
    /// Whether tokens are refreshed ahead of their expiry. Off unless switched on; `Auth.refreshesAutomatically`
    /// switches it later.
    public var refreshesAutomatically: Bool
    /// How long a callback may wait while nobody drains the callback queue, before the log says so.
    public var callbackPatience: DispatchTimeInterval

    public init(
      backend: any Backend, store: any CredentialStore = .memory, callbackQueue: DispatchQueue = .main,
      clocks: any Clocks = SystemClocks(), random: any RandomSource = SystemRandomSource(),
      logger: Logger = Logger(label: "gatehouse"), timeouts: Timeouts = Timeouts(),
      refreshesAutomatically: Bool = false, callbackPatience: DispatchTimeInterval = .seconds(3)
    ) {
      self.backend = backend
      self.store = store
      self.callbackQueue = callbackQueue
      self.clocks = clocks
      self.random = random
      self.logger = logger
      self.timeouts = timeouts
      self.refreshesAutomatically = refreshesAutomatically
      self.callbackPatience = callbackPatience
    }
  }

  /// How long things may take.
  public struct Timeouts: Sendable, Hashable {
    /// One call, unless the call itself says otherwise.
    public var call: Duration = .seconds(30)
    /// One attempt to refresh a token.
    public var refresh: Duration = .seconds(30)
    /// How long a call waits for the store.
    public var store: Duration = .seconds(10)

    public init() {}
  }
}
