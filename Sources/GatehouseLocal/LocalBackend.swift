public import GatehouseBase
public import GatehouseJOSE
import GatehouseQueues
public import IdentityToolkit

/// The identity provider in this process: accounts, passwords, sessions and keys in one folder, and no service to start.
///
/// Making one does nothing yet. The first call opens the folder, and makes it where there is none; when that fails the
/// call throws the reason (`.providerUnsafe`, `.providerDamaged`, `.providerTooNew`, `.providerUnavailable`), and the
/// next call tries again. All work is done on background threads, a few at a time. Any number of backends, in any
/// number of processes, may have the same folder open.
public final class LocalBackend: Backend {
  /// The folder, as it was given.
  public let directory: String
  private let options: LocalOptions
  private let provider = Lock<Provider?>(nil)
  /// Opens the provider, one caller at a time.
  private let door = BackgroundQueue(label: "gatehouse.local.open", width: 1)
  /// Bounded because each password hash needs its memory.
  private let background = BackgroundQueue(label: "gatehouse.local", width: 4)

  /// - Parameter directory: a folder for the provider alone. One that exists must be ours, no link, and closed to others.
  public init(directory: String, options: LocalOptions = LocalOptions()) {
    self.directory = directory
    self.options = options
  }

  /// Closing a database is slow, and whoever lets go of a backend last may be in a hurry.
  deinit {
    background.start { [provider] in
      let last = provider.withLock { held in
        defer { held = nil }
        return held
      }
      withExtendedLifetime(last) {}
    }
  }

  /// Whom its ID tokens are from.
  public var issuer: String { options.issuerName }

  /// Whom its ID tokens are for: the project.
  public var audience: String { options.projectID }

  public var rotatesRefreshTokens: Bool { options.rotatesRefreshTokens }

  /// Opens the folder now, for those who want its errors early.
  public func open() async throws(AuthError) { _ = try await opened() }

  /// The public keys that its ID tokens can be verified with.
  public func keySet() async throws(AuthError) -> JWKSet { try await opened().keys.published }

  public func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    guard let call = call as? any LocalCall<C.Response> else { throw .unsupported(C.self) }
    return try await run { provider throws(AuthError) in try call.answer(by: provider) }
  }

  /// Runs work on a background thread, with the provider open.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable (Provider) throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let provider = try await opened()
    return try await background.run { () throws(AuthError) in try work(provider) }
  }

  private func opened() async throws(AuthError) -> Provider {
    if let open = provider.withLock({ $0 }) { return open }
    return try await door.run { [provider, directory, options] () throws(AuthError) in
      if let open = provider.withLock({ $0 }) { return open }
      let open = try Provider(directory: directory, options: options)
      provider.withLock { $0 = open }
      return open
    }
  }
}

extension Backend where Self == LocalBackend {
  /// The identity provider in this process, in a folder of its own.
  public static func local(directory: String, options: LocalOptions = LocalOptions()) -> LocalBackend {
    LocalBackend(directory: directory, options: options)
  }
}
