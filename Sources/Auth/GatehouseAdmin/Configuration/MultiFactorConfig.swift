import GatehouseBase

/// The second factors that users may enroll.
///
/// Source: https://firebase.google.com/docs/reference/admin/node/firebase-admin.auth.multifactorconfig
public struct MultiFactorConfig: Sendable, Hashable {
  /// The state of a configuration or of a factor.
  public enum State: String, Sendable, Hashable {
    /// Enabled.
    case enabled = "ENABLED"
    /// Disabled.
    case disabled = "DISABLED"
  }

  /// The configuration of a second factor other than a phone.
  public struct ProviderConfig: Sendable, Hashable {
    /// Whether the factor is enabled.
    public var state: State
    /// The settings of codes from an authenticator app.
    public var totpProviderConfig: TOTPProviderConfig

    /// Makes a configuration that enables or disables codes from an authenticator app.
    public init(state: State, totpProviderConfig: TOTPProviderConfig = TOTPProviderConfig()) {
      self.state = state
      self.totpProviderConfig = totpProviderConfig
    }
  }

  /// The settings for checking the codes of an authenticator app.
  public struct TOTPProviderConfig: Sendable, Hashable {
    /// The number of accepted periods before and after the current one, 0 to 10; `nil` for the server's default.
    public var adjacentIntervals: Int?

    /// Makes settings with a number of accepted periods; by default the server's.
    public init(adjacentIntervals: Int? = nil) { self.adjacentIntervals = adjacentIntervals }
  }

  /// Whether users may enroll a second factor.
  public var state: State
  /// The factors that are enabled by their identifiers: `phone`.
  public var factorIDs: [String]
  /// The configurations of the other factors.
  public var providerConfigs: [ProviderConfig]

  /// Makes a configuration that enables or disables second factors.
  ///
  /// - Parameters:
  ///   - state: whether users may enroll one.
  ///   - factorIDs: `phone`, for codes by text message.
  ///   - providerConfigs: the configuration of authenticator apps.
  public init(state: State, factorIDs: [String] = [], providerConfigs: [ProviderConfig] = []) {
    self.state = state
    self.factorIDs = factorIDs
    self.providerConfigs = providerConfigs
  }

  init?(_ json: JSONValue?) {
    guard let json = json?.object, let state = Self.state(json["state"]) else { return nil }
    self.state = state
    factorIDs = (json["enabledProviders"]?.array ?? []).compactMap { $0.string == Self.phone ? "phone" : nil }
    providerConfigs = (json["providerConfigs"]?.array ?? []).compactMap { provider in
      guard let totp = provider["totpProviderConfig"]?.object, let state = Self.state(provider["state"]) else {
        return nil
      }
      let intervals = totp["adjacentIntervals"]?.integer.flatMap { Int(exactly: $0) }
      return ProviderConfig(state: state, totpProviderConfig: TOTPProviderConfig(adjacentIntervals: intervals))
    }
  }

  /// The configuration in the protocol's form.
  func json() throws(AuthError) -> JSONValue {
    guard factorIDs.allSatisfy({ $0 == "phone" }) else {
      throw AuthError(.invalidArgument, "factorIDs names `phone`; authenticator apps are in providerConfigs")
    }
    var providers: [JSONValue] = []
    for provider in providerConfigs {
      let intervals = provider.totpProviderConfig.adjacentIntervals
      guard intervals.map((0...10).contains) ?? true else {
        throw AuthError(.invalidArgument, "adjacentIntervals must be 0 to 10")
      }
      var totp: JSONObject = [:]
      totp["adjacentIntervals"] = intervals.map { .number(JSONNumber($0)) }
      providers.append(["state": .string(provider.state.rawValue), "totpProviderConfig": .object(totp)])
    }
    return [
      "state": .string(state.rawValue), "enabledProviders": .array(factorIDs.map { _ in .string(Self.phone) }),
      "providerConfigs": .array(providers),
    ]
  }

  private static let phone = "PHONE_SMS"

  private static func state(_ json: JSONValue?) -> State? {
    // `MANDATORY` is read as enabled, because this type has no such state.
    json?.string.flatMap { $0 == "MANDATORY" ? .enabled : State(rawValue: $0) }
  }
}
