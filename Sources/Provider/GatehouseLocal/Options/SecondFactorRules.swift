import GatehouseBase

/// The second factors that users may enroll, as an administrator configures them: `mfa` of the project, `mfaConfig` of
/// a tenant.
///
/// A user who has a second factor signs in with it, whatever the rules are: disabling factors must not remove the
/// protection of an account.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/MultiFactorAuthConfig
struct SecondFactorRules: Sendable, Hashable {
  /// The kinds of second factors: an authenticator app, and messages to a phone.
  static let totp = "totp", phone = "phone"

  /// The kinds that may be enrolled; `nil` for all.
  private let kinds: Set<String>?

  /// Makes rules that allow all kinds.
  init() { kinds = nil }

  /// Reads a stored configuration. A configuration without a state allows all kinds.
  init(_ configuration: JSONValue?) {
    switch configuration?["state"]?.string {
    case "DISABLED": kinds = []
    case "ENABLED", "MANDATORY":
      let providers = configuration?["enabledProviders"]?.array ?? []
      var kinds: Set<String> = []
      if providers.contains(where: { $0.string == "PHONE_SMS" }) { kinds.insert(Self.phone) }
      let others = configuration?["providerConfigs"]?.array ?? []
      if others.contains(where: { $0["state"]?.string == "ENABLED" && $0["totpProviderConfig"]?.object != nil }) {
        kinds.insert(Self.totp)
      }
      self.kinds = kinds
    default: kinds = nil
    }
  }

  /// Refuses a configuration that the provider does not support.
  ///
  /// - Parameter name: the configuration's name in its document.
  static func check(_ configuration: JSONValue?, _ name: String) throws(AuthError) {
    guard let configuration, configuration != .null else { return }
    func refuse(_ advice: String) -> AuthError {
      AuthError(.invalidArgument, "\(name)\(advice)", server: .invalidConfig)
    }
    guard configuration.object != nil else { throw refuse(" must be an object") }
    let states = ["STATE_UNSPECIFIED", "DISABLED", "ENABLED"]
    let advice = "must be ENABLED or DISABLED; sign-ins without a second factor are not refused, so not MANDATORY"
    func check(_ state: JSONValue?, _ path: String) throws(AuthError) {
      guard let state else { return }
      guard let text = state.string, states.contains(text) else { throw refuse("\(path).state \(advice)") }
    }
    try check(configuration["state"], "")
    for provider in configuration["providerConfigs"]?.array ?? [] { try check(provider["state"], ".providerConfigs") }
  }

  /// Refuses an enrollment of a kind that is not allowed.
  func require(_ kind: String) throws(AuthError) {
    guard let kinds, !kinds.contains(kind) else { return }
    let name = kind == Self.phone ? "SMS" : "TOTP"
    throw AuthError(server: .operationNotAllowed, "\(name) based MFA not enabled.")
  }
}
