public import Dispatch
public import GatehouseBase

extension Agent {
  /// The settings of an agent. All have defaults.
  public struct Configuration: Sendable {
    /// The queue on which completions and the hooks are called; the main queue by default. A daemon that does not
    /// run its main queue sets another, or uses the `async` calls, which need none.
    public var callbackQueue: DispatchQueue
    /// The source of time.
    public var clocks: any Clocks
    /// The source of jitter.
    public var random: any RandomSource
    /// The limit of a call's wait, unless the call sets its own.
    public var callTimeout: Duration
    /// The limit of one fetch. After that, the source is given up and its account backs off.
    public var fetchTimeout: Duration
    /// The maximum number of fetches that begin in any second, for all accounts together; at least 1.
    public var fetchesPerSecond: Int
    /// Called on the callback queue when an account begins to need a person, once until it lends tokens again.
    public var needsPerson: (@Sendable (_ account: String, _ reason: AuthError) -> Void)?
    /// Called on the callback queue when a fetch has brought another token than the account had.
    public var tokenChanged: (@Sendable (_ account: String, _ token: LentToken) -> Void)?

    /// Makes a configuration. Each parameter is documented at its property.
    public init(
      callbackQueue: DispatchQueue = .main, clocks: any Clocks = SystemClocks(),
      random: any RandomSource = SystemRandomSource(), callTimeout: Duration = .seconds(30),
      fetchTimeout: Duration = .seconds(30), fetchesPerSecond: Int = 10,
      needsPerson: (@Sendable (_ account: String, _ reason: AuthError) -> Void)? = nil,
      tokenChanged: (@Sendable (_ account: String, _ token: LentToken) -> Void)? = nil
    ) {
      self.callbackQueue = callbackQueue
      self.clocks = clocks
      self.random = random
      self.callTimeout = callTimeout
      self.fetchTimeout = fetchTimeout
      self.fetchesPerSecond = fetchesPerSecond
      self.needsPerson = needsPerson
      self.tokenChanged = tokenChanged
    }
  }
}
