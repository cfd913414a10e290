public import Dispatch
public import GatehouseBase
public import GatehouseJOSE
import GatehouseQueues
public import IdentityToolkit

/// The identity provider in this process: accounts, passwords, sessions and keys in one folder, and no service to
/// start.
///
/// - Making one does nothing yet. The first call opens the folder, and makes it where there is none; when that fails
///   the call throws the reason (`.providerUnsafe`, `.providerDamaged`, `.providerTooNew`, `.providerUnavailable`), and
///   the next call tries again.
/// - All slow work is done on background threads, a few at a time. Any number of backends, in any number of processes,
///   may have the same folder open.
/// - Asynchronous calls begin on Gatehouse's work queue at once; the calls of the protocol only while the folder is not
///   open, and then in the background at once. The `async` forms resume their caller directly; the completion forms are
///   called exactly once, on the callback queue. Cancelling a caller releases it at once; the work goes on.
///
/// `close()` at the end of a program leaves the folder at rest. A program that ends without it loses nothing: the next
/// one to open the folder takes over what SQLite's `-wal` file holds. `backup(to:)` copies the folder at any time.
public final class LocalBackend: Backend, TokenAuthority {
  /// Called with the outcome of a call: exactly once, on every path. A closure that is isolated to an actor, the main
  /// actor mostly, is called there; any other on the callback queue. It is released in the same place.
  public typealias Completion<Value: Sendable> = @isolated(any) @Sendable (Result<Value, AuthError>) -> Void

  /// The folder, as it was given.
  public let directory: String
  private let environment: ProviderEnvironment
  private let access: ProviderAccess
  private let callbacks: CallbackQueue
  private let deliveries: Deliveries
  private let identities: IdentityProviders
  /// Wide, because changes that come at once share one wait for the disk.
  private let background = BackgroundQueue(label: "gatehouse.local", width: 16)
  /// Calls that only read, which wait for no other's changes; and the connections of a server (`executor`).
  private let reading = BackgroundQueue(label: "gatehouse.reading", width: 16)
  /// Calls that hash passwords have a queue of their own: others need not wait behind them.
  private let hashing = BackgroundQueue(label: "gatehouse.hashing", width: 4)

  /// - Parameters:
  ///   - directory: a folder for the provider alone. One that exists must belong to this user, be no link, and
  ///     not be writable for others.
  ///   - options: the provider's settings.
  ///   - callbackQueue: where completions are called.
  public init(directory: String, options: LocalOptions = LocalOptions(), callbackQueue: DispatchQueue = .main) {
    self.directory = directory
    let callbacks = CallbackQueue(callbackQueue)
    self.callbacks = callbacks
    let environment = ProviderEnvironment(options, callbacks: callbacks)
    self.environment = environment
    let deliveries = Deliveries(environment)
    self.deliveries = deliveries
    identities = IdentityProviders(environment)
    access = ProviderAccess { () throws(AuthError) in
      try Provider(directory: directory, environment: environment, deliveries: deliveries)
    }
  }

  /// The issuer of its ID tokens (`iss`).
  public var issuer: String { environment.options.issuerName }

  /// The audience of its ID tokens (`aud`): the project.
  public var audience: String { environment.options.projectID }

  /// The hosts to which links of messages may lead on.
  package var authorizedDomains: [String] { environment.options.authorizedDomains }

  /// Whether each refresh brings a new refresh token; see `LocalOptions.rotatesRefreshTokens`.
  public var rotatesRefreshTokens: Bool { environment.options.rotatesRefreshTokens }

  // MARK: Calls

  /// Answers a call of the protocol. Called by `Auth`; any thread.
  ///
  /// Cancelling the caller changes nothing: the call is carried out, and its answer may hold the only good tokens.
  ///
  /// - Throws: a refusal with the server's code, as Identity Toolkit would answer; or why the folder cannot be used.
  public func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    // Who holds the provider itself has its folder, too.
    try await answer(call, from: .administrator)
  }

  /// Answers a call of this caller.
  func answer<C: Call>(_ call: C, from caller: Caller) async throws(AuthError) -> C.Response {
    if call is any AdminCall, !caller.isAdministrator { throw AuthError(server: "INSUFFICIENT_PERMISSION") }
    if let call = call as? any LocalCall<C.Response> { return try await answer(local: call, from: caller) }
    if let call = call as? any DeliveringCall<C.Response> { return try await deliver(call, from: caller) }
    if let call = call as? any IdentifyingCall<C.Response> { return try await identify(call, from: caller) }
    throw .unsupported(C.self)
  }

  /// Answers a call that is one piece of work. It takes no queue but that of its work while the folder is open.
  private func answer<C: LocalCall>(local call: C, from caller: Caller) async throws(AuthError) -> C.Response {
    let threads = threads(for: call)
    let work = { @Sendable [access, background, deliveries] (provider: Provider) throws(AuthError) -> C.Response in
      defer { access.beginChores(of: provider, on: background, warning: deliveries) }
      return try Self.answer(call, by: provider, from: caller)
    }
    if let provider = access.enter() {
      return try await threads.runInPlace { [access] () throws(AuthError) in
        defer { access.leave() }
        return try work(provider)
      }
    }
    return try await onWorkQueue { [access] () throws(AuthError) in
      try await access.useToTheEnd { provider throws(AuthError) in
        try await threads.run { () throws(AuthError) in try work(provider) }
      }
    }
  }

  private func threads(for call: some Call) -> BackgroundQueue {
    if call is any HashingCall { return hashing }
    if call is ExchangeRefreshToken { return rotatesRefreshTokens ? background : reading }
    return call is any ReadingCall ? reading : background
  }

  /// Where a server has its connections served: a call that only reads is answered on the thread that has read it.
  package var executor: any TaskExecutor { reading.executor }

  private static func answer<C: LocalCall>(
    _ call: C, by provider: Provider, from caller: Caller
  ) throws(AuthError) -> C.Response {
    let outcome = caller.answering { () throws(AuthError) in
      try provider.requireTenant(of: call)
      return try call.answer(by: provider)
    }
    provider.note(call, outcome)
    return try outcome.get()
  }

  private static func answer<C: DeliveringCall>(
    _ call: C, by provider: Provider, from caller: Caller
  ) throws(AuthError) -> Answer<C.Response> {
    let outcome = caller.answering { () throws(AuthError) in
      try provider.requireTenant(of: call)
      return try call.answer(by: provider)
    }
    provider.note(call, outcome.map(\.response))
    return try outcome.get()
  }

  private static func answer<C: IdentifyingCall>(
    _ call: C, for identity: VerifiedIdentity, by provider: Provider, from caller: Caller
  ) throws(AuthError) -> C.Response {
    let outcome = caller.answering { () throws(AuthError) in
      try provider.requireTenant(of: call)
      return try call.answer(by: provider, identity)
    }
    provider.note(call, outcome)
    return try outcome.get()
  }

  /// Answers a call that sends messages. What goes out without the caller's waiting keeps the provider open.
  private func deliver<Response: Sendable>(
    _ call: any DeliveringCall<Response>, from caller: Caller
  ) async throws(AuthError) -> Response {
    let threads = threads(for: call)
    return try await onWorkQueue { [access, background, deliveries] () throws(AuthError) in
      try await access.useToTheEnd { provider throws(AuthError) in
        defer { access.beginChores(of: provider, on: background, warning: deliveries) }
        let answer = try await threads.run { () throws(AuthError) in
          try Self.answer(call, by: provider, from: caller)
        }
        if let notice = answer.notice { access.follow { await deliveries.deliverSilently(notice) } }
        if let text = answer.text { try await deliveries.deliver(text) }
        guard let message = answer.message else { return answer.response }
        if deliveries.areSilent {
          access.follow { await deliveries.deliverSilently(message) }
        } else {
          try await deliveries.deliver(message)
        }
        return answer.response
      }
    }
  }

  /// Answers a call whose credential an identity provider must be asked about. The folder is open meanwhile.
  private func identify<Response: Sendable>(
    _ call: any IdentifyingCall<Response>, from caller: Caller
  ) async throws(AuthError) -> Response {
    try await onWorkQueue { [access, background, deliveries, identities] () throws(AuthError) in
      try await access.useToTheEnd { provider throws(AuthError) in
        guard call.pendingToken == nil else { throw AuthError(server: "INVALID_PENDING_TOKEN") }
        defer { access.beginChores(of: provider, on: background, warning: deliveries) }
        let configured = try await background.run { () throws(AuthError) in
          let tenant = (call as? any TenantCall)?.tenant ?? ""
          return try call.credential.flatMap { credential throws(AuthError) in
            try provider.configuredProvider(credential.providerID, of: tenant)
          }
        }
        let identity = try await identities.identity(of: call.credential, configured)
        return try await background.run { () throws(AuthError) in
          try Self.answer(call, for: identity, by: provider, from: caller)
        }
      }
    }
  }

  /// Opens the folder now, to get its errors early.
  ///
  /// - Throws: why the folder cannot be used; `.closed` after `close()`.
  public func open() async throws(AuthError) {
    try await onWorkQueue { [access] () throws(AuthError) in try await access.use { _ in } }
  }

  /// Opens the folder now, to get its errors early.
  public func open(@_inheritActorContext completion: @escaping Completion<Void>) {
    callbacks.deliver(to: completion) { [access] () throws(AuthError) in try await access.use { _ in } }
  }

  /// Refuses a provider that cannot be written to now, and says why: the disk is full or read-only, or the folder has
  /// gone. Tries it at most once a second; in between the last outcome is the answer.
  package func requireWritable() async throws(AuthError) {
    try await withProvider { provider throws(AuthError) in try provider.requireWritable() }
  }

  /// Closes the folder: awaits the calls that were made before, then the end of the database.
  ///
  /// Every call that is made later throws `.closed`. When this has returned, and no other backend or process has the
  /// folder open, all accounts are in `accounts.sqlite` itself: a plain copy of the folder is whole. Nothing is lost
  /// without it. Closing twice is not an error.
  /// - Throws: `.providerUnavailable` when SQLite could not tidy up, on a full disk for example; the folder is then as
  ///   one that was not closed.
  public func close() async throws(AuthError) {
    try await onWorkQueue { [access] () throws(AuthError) in try await access.close() }
  }

  /// Closes the folder.
  public func close(@_inheritActorContext completion: @escaping Completion<Void>) {
    callbacks.deliver(to: completion) { [access] () throws(AuthError) in try await access.close() }
  }

  /// The public keys that verify its ID tokens.
  ///
  /// - Throws: why the folder cannot be used; `.closed` after `close()`.
  public func keySet() async throws(AuthError) -> JWKSet {
    try await withProvider { provider throws(AuthError) in try provider.publishedKeys() }
  }

  /// The public keys that verify its ID tokens.
  public func keySet(@_inheritActorContext completion: @escaping Completion<JWKSet>) {
    withProvider(completion: completion) { provider throws(AuthError) in try provider.publishedKeys() }
  }

  // MARK: Work with the provider

  /// Runs work on a background thread, with the provider open.
  func withProvider<Value: Sendable>(
    _ work: @escaping @Sendable (Provider) throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    try await onWorkQueue { [access, background] () throws(AuthError) in
      try await access.use { provider throws(AuthError) in
        try await background.run { () throws(AuthError) in try work(provider) }
      }
    }
  }

  /// The completion form of the same.
  func withProvider<Value: Sendable>(
    completion: @escaping Completion<Value>, _ name: StaticString = #function,
    _ work: @escaping @Sendable (Provider) throws(AuthError) -> Value
  ) {
    callbacks.deliver(to: completion, name) { [access, background] () throws(AuthError) in
      try await access.use { provider throws(AuthError) in
        try await background.run { () throws(AuthError) in try work(provider) }
      }
    }
  }
}

extension Backend where Self == LocalBackend {
  /// The identity provider in this process, in a folder of its own.
  public static func local(
    directory: String, options: LocalOptions = LocalOptions(), callbackQueue: DispatchQueue = .main
  ) -> LocalBackend {
    LocalBackend(directory: directory, options: options, callbackQueue: callbackQueue)
  }
}
