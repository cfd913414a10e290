public import Dispatch
public import IdentityToolkit
public import Logging

extension Auth {
  /// The parts and settings of an `Auth`. All but the backend have defaults.
  public struct Configuration: Sendable {
    /// Answers the calls: an embedded provider, an HTTP client, a test's script.
    public var backend: any Backend
    /// Keeps the session between runs; the default keeps it in memory only.
    public var store: any CredentialStore
    /// Where completions and listeners are called; the main queue by default. A server or tool that does not run its
    /// main queue sets another, or uses the `async` calls, which need none.
    public var callbackQueue: DispatchQueue
    /// The source of time.
    public var clocks: any Clocks
    /// The source of jitter and of session identifiers.
    public var random: any RandomSource
    /// Gatehouse's logger. It is never given a password or a token. Its handler runs on a background queue.
    public var logger: Logger
    /// How long things may take.
    public var timeouts: Timeouts
    /// Whether tokens are refreshed ahead of their expiry. Off unless switched on; `Auth.refreshesAutomatically`
    /// switches it later.
    public var refreshesAutomatically: Bool
    /// Whether this `Auth` follows what other programs do to its store, where that can be watched: a user who signs in
    /// there is signed in here, and one who signs out there is signed out here. On unless switched off; without it the
    /// next write to the store learns of it.
    public var followsStore: Bool
    /// The tenant whose users sign in; see `Auth.tenantID`.
    public var tenantID: String?
    /// How long a callback may wait while no callback begins on its queue, before the log says so.
    public var callbackPatience: Duration

    /// Makes a configuration. Each parameter is described at its property.
    public init(
      backend: any Backend, store: any CredentialStore = .memory, callbackQueue: DispatchQueue = .main,
      clocks: any Clocks = SystemClocks(), random: any RandomSource = SystemRandomSource(),
      logger: Logger = Logger(label: "gatehouse"), timeouts: Timeouts = Timeouts(),
      refreshesAutomatically: Bool = false, followsStore: Bool = true, tenantID: String? = nil,
      callbackPatience: Duration = .seconds(3)
    ) {
      self.backend = backend
      self.store = store
      self.callbackQueue = callbackQueue
      self.clocks = clocks
      self.random = random
      self.logger = logger
      self.timeouts = timeouts
      self.refreshesAutomatically = refreshesAutomatically
      self.followsStore = followsStore
      self.tenantID = tenantID
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

    /// The defaults.
    public init() {}
  }
}
