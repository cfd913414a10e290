public import Dispatch
public import Foundation
public import GatehouseBase
public import GatehouseJOSE
import GatehouseQueues
public import IdentityToolkit

/// An identity provider in this process, with accounts, passwords, sessions and keys in one folder, without a service
/// to start.
///
/// - Making one does nothing yet. The first call opens the folder, and creates it if there is none. If that fails, the
///   call throws the reason (`.providerUnsafe`, `.providerDamaged`, `.providerTooNew`, `.providerUnavailable`), and the
///   next call tries again.
/// - All slow work is done on background threads, a few at a time. Any number of backends, in any number of processes,
///   may have the same folder open.
/// - Asynchronous calls begin on Gatehouse's work queue at once; the protocol's calls do so only until the folder is
///   open, and then begin in the background at once. The `async` forms resume their caller directly; the completion
///   forms are called exactly once, on the callback queue. A cancelled caller returns at once; the work continues.
///
/// Call `close()` at the end of a program to leave the folder in a clean state. A program that ends without it loses
/// nothing: the next program that opens the folder recovers the contents of SQLite's `-wal` file. `backup(to:)` copies
/// the folder at any time.
public final class LocalBackend: Backend, TokenAuthority {
  /// Called with the outcome of a call, exactly once, on every path. A closure that is isolated to an actor, usually
  /// the main actor, is called on that actor; any other closure on the callback queue. The closure is released where it
  /// is called.
  public typealias Completion<Value: Sendable> = @isolated(any) @Sendable (Result<Value, AuthError>) -> Void

  /// Whether the provider is an emulator, where anyone can sign in as any user: identities or custom tokens are not
  /// verified.
  public var isEmulator: Bool { environment.options.isEmulator }
  /// The folder, as it was passed.
  public let directory: String
  private let environment: ProviderEnvironment
  private let access: ProviderAccess
  private let callbacks: CallbackQueue
  private let deliveries: Deliveries
  private let identities: IdentityProviders
  /// Wide, because concurrent changes share one wait for the disk.
  private let background = BackgroundQueue(label: "gatehouse.local", width: 16)
  /// For calls that only read, and do not wait for others' changes; and for the connections of a server (`executor`).
  private let reading = BackgroundQueue(label: "gatehouse.reading", width: 16)
  /// Makes the changes that share a commit. Separate, so that no change waits behind threads that wait for it.
  private let committing = BackgroundQueue(label: "gatehouse.committing", width: 1)
  /// For calls that hash passwords, so that other calls do not wait behind them.
  private let hashing = BackgroundQueue(label: "gatehouse.hashing", width: 4)
  /// The queue for imports and exports of whole files, which take long, one at a time.
  private let transferring = BackgroundQueue(label: "gatehouse.transferring", width: 1)

  /// - Parameters:
  ///   - directory: a folder used only by the provider. An existing folder must belong to this user, not be a link, and
  ///     not be writable by others.
  ///   - options: the provider's settings.
  ///   - callbackQueue: the queue on which completions are called.
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

  /// The issuer of the provider's ID tokens (`iss`).
  public var issuer: String { environment.options.issuerName }

  /// The audience of the provider's ID tokens (`aud`): the project.
  public var audience: String { environment.options.projectID }

  /// The allowed hosts of the pages that messages' links lead to.
  package var authorizedDomains: [String] { environment.options.authorizedDomains }

  /// Whether each refresh issues a new refresh token; see `LocalOptions.rotatesRefreshTokens`.
  public var rotatesRefreshTokens: Bool { environment.options.rotatesRefreshTokens }

  /// Waits until no call is in progress, and no message or line of the audit log that has followed one.
  package func settle() async { await access.settle() }

  // MARK: Calls

  /// Answers a call of the protocol. Called by `Auth`, from any thread.
  ///
  /// Cancelling the caller has no effect: the call is carried out, because its answer may hold the only valid tokens.
  ///
  /// - Throws: A refusal with the server code of Identity Toolkit, or the reason why the folder cannot be used.
  public func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    // A caller that holds the provider itself has access to its folder as well.
    try await answer(call, from: .administrator)
  }

  /// Answers a call of this caller.
  func answer<C: Call>(_ call: C, from caller: Caller) async throws(AuthError) -> C.Response {
    if call is any AdminCall, !caller.isAdministrator { throw AuthError(server: .insufficientPermission) }
    // SQLite ends a text there, so the account would be in another tenant than its tokens say.
    if let tenant = (call as? any TenantCall)?.tenantId, tenant.utf8.contains(0) {
      throw AuthError(server: .tenantNotFound)
    }
    // Not `any LocalCall<C.Response>`: that cast takes longer than finding the call's row in the database.
    if let call = call as? any LocalCall { return try await answer(call, C.Response.self, from: caller) }
    if let call = call as? any DeliveringCall<C.Response> { return try await deliver(call, from: caller) }
    if let call = call as? any IdentifyingCall<C.Response> { return try await identify(call, from: caller) }
    throw .unsupported(C.self)
  }

  /// Answers a call whose response has this type.
  private func answer<C: LocalCall, Response: Sendable>(
    _ call: C, _ type: Response.Type, from caller: Caller
  ) async throws(AuthError) -> Response {
    guard let response = try await answer(local: call, from: caller) as? Response else {
      throw AuthError(.internalError, "a call has a response of another type")
    }
    return response
  }

  /// Answers a call that is one piece of work. While the folder is open, it uses only the queue of that work.
  private func answer<C: LocalCall>(local call: C, from caller: Caller) async throws(AuthError) -> C.Response {
    let threads = threads(for: call)
    let work = { @Sendable [access, background, deliveries] (provider: Provider) throws(AuthError) -> C.Response in
      defer { access.beginChores(of: provider, on: background, warning: deliveries) }
      return try Self.answer(call, by: provider, from: caller)
    }
    if let provider = access.enter() {
      if rotatesRefreshTokens, let call = call as? any GroupedCall {
        return try await answer(grouped: call, C.Response.self, by: provider, from: caller)
      }
      return try await threads.runInPlace(for: caller.party) { [access] () throws(AuthError) in
        defer { access.leave() }
        return try work(provider)
      }
    }
    return try await onWorkQueue { [access] () throws(AuthError) in
      try await access.useToTheEnd { provider throws(AuthError) in
        try await threads.run(for: caller.party) { () throws(AuthError) in try work(provider) }
      }
    }
  }

  /// Answers a call in two steps, with a provider that was entered. Its change is made together with the other waiting
  /// ones, on the queue for shared commits. No thread is blocked meanwhile.
  private func answer<C: GroupedCall, Response: Sendable>(
    grouped call: C, _ type: Response.Type, by provider: Provider, from caller: Caller
  ) async throws(AuthError) -> Response {
    let result: Result<C.Response, AuthError> = await withCheckedContinuation { continuation in
      provider.database.writeTogether(on: committing) { db in
        try call.change(by: provider, in: db)
      } then: { [access, reading, background, deliveries] made in
        reading.async {
          let outcome = caller.answering { () throws(AuthError) in
            try call.answer(by: provider, try typed { try made.get().typed() })
          }
          provider.note(call, outcome)
          access.beginChores(of: provider, on: background, warning: deliveries)
          access.leave()
          continuation.resume(returning: outcome)
        }
      }
    }
    guard let response = try result.typed() as? Response else {
      throw AuthError(.internalError, "a call has a response of another type")
    }
    return response
  }

  private func threads(for call: some Call) -> BackgroundQueue {
    if let call = call as? any HashingCall, call.hashes { return hashing }
    if call is ExchangeRefreshToken { return rotatesRefreshTokens ? background : reading }
    return call is any ReadingCall ? reading : background
  }

  /// The executor on which a server runs its connections. A read-only call is answered on the thread that has read it.
  package var executor: any TaskExecutor { reading.executor }

  private static func answer<C: LocalCall>(
    _ call: C, by provider: Provider, from caller: Caller
  ) throws(AuthError) -> C.Response {
    let outcome = caller.answering { () throws(AuthError) in
      try provider.requireTenant(of: call)
      return try call.answer(by: provider)
    }
    provider.note(call, outcome)
    return try outcome.typed()
  }

  private static func answer<C: DeliveringCall>(
    _ call: C, by provider: Provider, from caller: Caller
  ) throws(AuthError) -> Answer<C.Response> {
    let outcome = caller.answering { () throws(AuthError) in
      try provider.requireTenant(of: call)
      return try call.answer(by: provider)
    }
    provider.note(call, outcome.map(\.response))
    return try outcome.typed()
  }

  private static func answer<C: IdentifyingCall>(
    _ call: C, for identity: VerifiedIdentity, by provider: Provider, from caller: Caller
  ) throws(AuthError) -> C.Response {
    let outcome = caller.answering { () throws(AuthError) in
      try provider.requireTenant(of: call)
      return try call.answer(by: provider, identity)
    }
    provider.note(call, outcome)
    return try outcome.typed()
  }

  /// Answers a call that sends messages. Deliveries that the caller does not wait for keep the provider open.
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

  /// Answers a call whose credential must be checked with an identity provider. The folder is open meanwhile.
  private func identify<Response: Sendable>(
    _ call: any IdentifyingCall<Response>, from caller: Caller
  ) async throws(AuthError) -> Response {
    try await onWorkQueue { [access, background, deliveries, identities] () throws(AuthError) in
      try await access.useToTheEnd { provider throws(AuthError) in
        guard call.pendingToken == nil else { throw AuthError(server: .invalidPendingToken) }
        defer { access.beginChores(of: provider, on: background, warning: deliveries) }
        let credential = call.credential(unverified: provider.options.acceptsUnverifiedIdentities)
        let configured = try await background.run { () throws(AuthError) in
          let tenant = (call as? any TenantCall)?.tenant ?? ""
          return try credential.flatMap { credential throws(AuthError) in
            try provider.configuredProvider(credential.providerID, of: tenant)
          }
        }
        let identity = try await identities.identity(of: credential, configured)
        return try await background.run { () throws(AuthError) in
          try Self.answer(call, for: identity, by: provider, from: caller)
        }
      }
    }
  }

  /// Opens the folder now, to get its errors early.
  ///
  /// - Throws: The reason why the folder cannot be used; `.closed` after `close()`.
  public func open() async throws {
    try await onWorkQueue { [access] () throws(AuthError) in try await access.use { _ in } }
  }

  /// Opens the folder now, to get its errors early.
  public func open(@_inheritActorContext completion: @escaping Completion<Void>) {
    callbacks.deliver(to: completion) { [access] () throws(AuthError) in try await access.use { _ in } }
  }

  /// Refuses a provider that cannot be written to now, with the reason: the disk is full or read-only, or the folder is
  /// gone. Tries a write at most once a second, and returns the last outcome in between.
  package func requireWritable() async throws(AuthError) {
    try await withProvider { provider throws(AuthError) in try provider.requireWritable() }
  }

  /// Closes the folder: waits for earlier calls, and then closes the database.
  ///
  /// Every later call throws `.closed`. When this has returned, and no other backend or process has the folder open,
  /// all accounts are in `accounts.sqlite` itself, so a plain copy of the folder is complete. Nothing is lost without
  /// it. Closing twice is not an error.
  /// - Throws: `.providerUnavailable` if SQLite could not clean up, for example on a full disk. The folder is then in
  ///   the state of one that was not closed.
  public func close() async throws {
    try await onWorkQueue { [access] () throws(AuthError) in try await access.close() }
  }

  /// Closes the folder.
  public func close(@_inheritActorContext completion: @escaping Completion<Void>) {
    callbacks.deliver(to: completion) { [access] () throws(AuthError) in try await access.close() }
  }

  /// Returns the public keys that verify the provider's ID tokens.
  ///
  /// - Throws: The reason why the folder cannot be used; `.closed` after `close()`.
  public func keySet() async throws -> JWKSet {
    try await withProvider { provider throws(AuthError) in try provider.publishedKeys() }
  }

  /// Returns the public keys that verify the provider's ID tokens.
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

  /// Runs an import or an export of a whole file, on the thread for these.
  func transfer<Value: Sendable>(
    _ work: @escaping @Sendable (Provider) throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    try await onWorkQueue { [access, transferring] () throws(AuthError) in
      try await access.use { provider throws(AuthError) in
        try await transferring.run { () throws(AuthError) in try work(provider) }
      }
    }
  }

  /// The completion form of `transfer(_:)`.
  func transfer<Value: Sendable>(
    completion: @escaping Completion<Value>, _ name: StaticString = #function,
    _ work: @escaping @Sendable (Provider) throws(AuthError) -> Value
  ) {
    callbacks.deliver(to: completion, name) { [access, transferring] () throws(AuthError) in
      try await access.use { provider throws(AuthError) in
        try await transferring.run { () throws(AuthError) in try work(provider) }
      }
    }
  }

  /// The queue on which the app's closures are called.
  var callbackQueue: CallbackQueue { callbacks }

  /// The completion form of `withProvider(_:)`.
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
  /// The identity provider in this process, with its own folder.
  public static func local(
    directory: String, options: LocalOptions = LocalOptions(), callbackQueue: DispatchQueue = .main
  ) -> LocalBackend {
    LocalBackend(directory: directory, options: options, callbackQueue: callbackQueue)
  }
}
