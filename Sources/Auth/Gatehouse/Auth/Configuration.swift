public import Dispatch
public import IdentityToolkit
public import Logging

extension Auth {
  /// The components and settings of an `Auth`. All but the backend have defaults.
  public struct Configuration: Sendable {
    /// The backend that answers the calls: an embedded provider, an HTTP client, or a test's script.
    public var backend: any Backend
    /// The store that keeps the session between runs. The default keeps it in memory only.
    public var store: any CredentialStore
    /// The queue on which completions and listeners are called; the main queue by default. A server or tool that does
    /// not run its main queue sets another, or uses the `async` calls, which need none.
    public var callbackQueue: DispatchQueue
    /// The source of time.
    public var clocks: any Clocks
    /// The source of jitter and session identifiers.
    public var random: any RandomSource
    /// Gatehouse's logger. It is never given a password or a token. Its handler runs on a background queue.
    public var logger: Logger
    /// The time limits of calls, refreshes and the store.
    public var timeouts: Timeouts
    /// Whether tokens are refreshed before they expire. `false` by default; `Auth.refreshesAutomatically` changes it
    /// later.
    public var refreshesAutomatically: Bool
    /// Whether this `Auth` follows other programs' changes to its store, if the store can be watched: a sign-in or
    /// sign-out there also happens here. `true` by default. Without it, the next write to the store detects the change.
    public var followsStore: Bool
    /// The tenant whose users sign in; see `Auth.tenantID`. With a tenant here, the stored session of another tenant's
    /// user is left alone: the state is `.signedOut` with `.tenantIDMismatch`.
    public var tenantID: String?
    /// How long a callback may wait while no callback begins on its queue, before a warning is logged.
    public var callbackPatience: Duration

    /// Makes a configuration. Each parameter is documented at its property.
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

  /// The time limits of calls, refreshes and the store.
  public struct Timeouts: Sendable, Hashable {
    /// The limit of one call, unless the call sets its own.
    public var call: Duration = .seconds(30)
    /// The limit of one attempt to refresh a token.
    public var refresh: Duration = .seconds(30)
    /// The limit of a call's wait for the store.
    public var store: Duration = .seconds(10)

    /// The defaults.
    public init() {}
  }
}
