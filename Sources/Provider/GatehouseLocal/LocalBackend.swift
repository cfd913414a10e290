public import GatehouseBase
public import GatehouseJOSE
import GatehouseQueues
public import IdentityToolkit

/// The identity provider in this process: accounts, passwords, sessions and keys in one folder, and no service to
/// start.
///
/// Making one does nothing yet. The first call opens the folder, and makes it where there is none; when that fails the
/// call throws the reason (`.providerUnsafe`, `.providerDamaged`, `.providerTooNew`, `.providerUnavailable`), and the
/// next call tries again. All work is done on background threads, a few at a time. Any number of backends, in any
/// number of processes, may have the same folder open.
///
/// `close()` at the end of a program leaves the folder at rest. A program that ends without it loses nothing: the next
/// one to open the folder takes over what SQLite's `-wal` file holds. `backup(to:)` copies the folder at any time.
public final class LocalBackend: Backend {
  /// The folder, as it was given.
  public let directory: String
  private let options: LocalOptions
  private let state = Lock(State())
  /// Opens the provider, one caller at a time.
  private let door = BackgroundQueue(label: "gatehouse.local.open", width: 1)
  /// Bounded because each password hash needs its memory.
  private let background = BackgroundQueue(label: "gatehouse.local", width: 4)

  /// - Parameter directory: a folder for the provider alone. One that exists must be ours, no link, and closed to
  ///   others.
  public init(directory: String, options: LocalOptions = LocalOptions()) {
    self.directory = directory
    self.options = options
  }

  private struct State: Sendable {
    var provider: Provider?
    var isClosed = false
    /// How many calls are being answered.
    var calls = 0
    /// Who waits for the last of them.
    var closers: [CheckedContinuation<Void, Never>] = []
  }

  /// Closing a database is slow, and whoever lets go of a backend last may be in a hurry.
  deinit {
    let provider = state.withLock { $0.provider.take() }
    background.async { try? provider?.close() }
  }

  /// Whom its ID tokens are from.
  public var issuer: String { options.issuerName }

  /// Whom its ID tokens are for: the project.
  public var audience: String { options.projectID }

  public var rotatesRefreshTokens: Bool { options.rotatesRefreshTokens }

  /// Opens the folder now, for those who want its errors early.
  public func open() async throws(AuthError) { try await withProvider { _ in } }

  /// Closes the folder: awaits the calls that were made before, then the end of the database.
  ///
  /// Every call that is made later throws `.closed`. When this has returned, and no other backend or process has the
  /// folder open, all accounts are in `accounts.sqlite` itself: a plain copy of the folder is whole. Nothing is lost
  /// without it. Closing twice is no error. Throws `.providerUnavailable` when SQLite could not tidy up, on a full disk
  /// for example; the folder is then as one that was not closed.
  public func close() async throws(AuthError) {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        state.isClosed = true
        if state.calls > 0 { state.closers.append(continuation) }
        return state.calls == 0
      }
      if isIdle { continuation.resume() }
    }
    try await door.run { [state] () throws(AuthError) in
      try state.withLock { $0.provider.take() }?.close()
    }
  }

  /// The public keys that its ID tokens can be verified with.
  public func keySet() async throws(AuthError) -> JWKSet { try await withProvider { $0.keys.published } }

  public func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    guard let call = call as? any LocalCall<C.Response> else { throw .unsupported(C.self) }
    return try await run { provider throws(AuthError) in try call.answer(by: provider) }
  }

  /// Runs work on a background thread, with the provider open.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable (Provider) throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    try await withProvider { [background] provider throws(AuthError) in
      try await background.run { () throws(AuthError) in try work(provider) }
    }
  }

  /// Runs a call with the provider open, which stays open until the call has ended.
  private func withProvider<Value>(
    _ call: (Provider) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let isClosed = state.withLock { state in
      if !state.isClosed { state.calls += 1 }
      return state.isClosed
    }
    if isClosed { throw AuthError(.closed, "this provider was closed; make another LocalBackend") }
    defer { ended() }
    return try await call(try await opened())
  }

  private func ended() {
    let closers = state.withLock { state in
      state.calls -= 1
      guard state.calls == 0 else { return [CheckedContinuation<Void, Never>]() }
      defer { state.closers = [] }
      return state.closers
    }
    for closer in closers { closer.resume() }
  }

  private func opened() async throws(AuthError) -> Provider {
    if let open = state.withLock({ $0.provider }) { return open }
    return try await door.run { [state, directory, options] () throws(AuthError) in
      if let open = state.withLock({ $0.provider }) { return open }
      let open = try Provider(directory: directory, options: options)
      state.withLock { $0.provider = open }
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
