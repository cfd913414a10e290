public import Gatehouse

/// The settings of an `Auth`, for programs that were written for Firebase. Gatehouse has no verification of apps, so
/// there is nothing to set.
public final class AuthSettings: Sendable {
  /// Whether the verification of apps is off. It always is; setting it has no effect.
  public var isAppVerificationDisabledForTesting: Bool {
    get { true }
    set {}
  }

  fileprivate init() {}
}

extension Auth {
  /// The settings of this `Auth`, which have no effect.
  public var settings: AuthSettings? { AuthSettings() }

  /// Not for the embedded provider, which replaces the emulator.
  @available(
    *, unavailable,
    message: "import GatehouseFirebaseREST to use an emulator; the embedded provider of GatehouseFirebase replaces it"
  )
  public func useEmulator(withHost host: String, port: Int) {}
}
