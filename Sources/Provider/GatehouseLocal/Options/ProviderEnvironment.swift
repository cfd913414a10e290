import GatehouseQueues

/// The options that the app configured a provider with. Some are the app's code: the delivery, the clocks, the log's
/// handler.
///
/// Every part of the provider and every call in progress holds this one object, never a part of the options alone. It
/// releases the options on the callback queue when its last holder is released, on any thread.
final class ProviderEnvironment: Sendable {
  /// The options in effect, in one object: a call that reads one of them does not copy them all.
  private final class InForce: Sendable {
    let options: LocalOptions
    /// The second factors that the project's users may enroll.
    let secondFactors: SecondFactorRules
    /// The regions whose phones receive texts.
    let textRegions: TextRegions
    /// The tenants with enumeration protection of their own.
    let protectedTenants: Set<String>

    init(
      _ options: LocalOptions, _ configuration: ProjectConfiguration = ProjectConfiguration(),
      protectedTenants: Set<String> = []
    ) {
      (self.options, secondFactors, textRegions) = (options, configuration.secondFactors, configuration.textRegions)
      self.protectedTenants = protectedTenants
    }
  }

  /// Timers, by the app's clocks.
  let time: Timekeeper
  private let callbacks: CallbackQueue
  /// The options as the app passed them. Emptied in the `deinit`.
  private let held: TakeOnce<LocalOptions>
  /// The options in effect. `held` has the app's objects as well, so that adopting another configuration releases none
  /// of them. Emptied in the `deinit`.
  private let inForce: Lock<InForce?>

  init(_ options: LocalOptions, callbacks: CallbackQueue) {
    let held = TakeOnce(options)
    self.held = held
    self.callbacks = callbacks
    inForce = Lock(InForce(options))
    time = Timekeeper { held.current?.clocks }
  }

  deinit {
    // First, so that `held` has the last references to the app's objects.
    inForce.withLock { $0 = nil }
    callbacks.release(held)
  }

  /// The options in effect, available while this object lives.
  var options: LocalOptions {
    _read { yield current.options }
  }

  /// The second factors that the project's users may enroll.
  var secondFactors: SecondFactorRules { current.secondFactors }

  /// The regions whose phones receive the project's texts.
  var textRegions: TextRegions { current.textRegions }

  /// Whether no answer tells if an address has an account in a tenant, or in the project for an empty name.
  func hidesAccounts(of tenant: String) -> Bool {
    let current = current
    return current.options.enumerationProtection || current.protectedTenants.contains(tenant)
  }

  /// Whether that is so in the project, or in a tenant.
  var hidesAnyAccounts: Bool {
    let current = current
    return current.options.enumerationProtection || !current.protectedTenants.isEmpty
  }

  /// Puts a configuration into effect, in place of an earlier one.
  func adopt(_ configuration: ProjectConfiguration, protectedTenants: Set<String>) {
    guard let options = held.current else { return }
    let new = InForce(configuration.applied(to: options), configuration, protectedTenants: protectedTenants)
    inForce.withLock { $0 = new }
  }

  private var current: InForce {
    guard let current = inForce.withLock({ $0 }) else { preconditionFailure("emptied only in the deinit") }
    return current
  }
}
