public import Dispatch
import Foundation
public import GatehouseBase
package import GatehouseQueues
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
  /// Whether the provider is an emulator, where anyone can sign in as any user: identities or custom tokens are not
  /// verified.
  public var isEmulator: Bool { environment.options.isEmulator }
  /// The folder, as it was passed.
  public let directory: String
  private let environment: ProviderEnvironment
  let access: ProviderAccess
  let callbacks: CallbackQueue
  let deliveries: Deliveries
  private let identities: IdentityProviders
  /// Wide, because concurrent changes share one wait for the disk.
  private let background = BackgroundQueue(label: "gatehouse.local", width: 16)
  /// For calls that only read, and do not wait for others' changes; and for the connections of a server (`executor`).
  private let reading = BackgroundQueue(label: "gatehouse.reading", width: 16)
  /// Makes the changes that share a commit. Separate, so that no change waits behind threads that wait for it.
  private let committing = BackgroundQueue(label: "gatehouse.committing", width: 1)
  /// For calls that hash passwords, so that other calls do not wait behind them.
  package let hashing = BackgroundQueue(
    label: "gatehouse.hashing", width: 4, isCourteous: false, mostStrangers: LocalBackend.mostWaitingStrangers,
    mostOfKnown: LocalBackend.mostWaitingOfKnown)
  /// The maximum number of strangers' calls that wait for a hash. At the default cost, two processors make so many
  /// hashes in about twenty seconds, and clients give up after a minute: a longer line would be work for clients that
  /// are gone.
  package static let mostWaitingStrangers = 64
  /// The maximum number of calls that wait for a hash and come from one network, for accounts that know it. Its user
  /// may begin any number of sign-ins, and leave each of them at once.
  package static let mostWaitingOfKnown = 64
  /// For calls that check a hash that costs much more than ours, so that they never have a thread of the calls above.
  package let costly = BackgroundQueue(
    label: "gatehouse.costly", width: 2, isCourteous: false, mostStrangers: LocalBackend.mostWaitingCostly,
    mostOfKnown: LocalBackend.mostWaitingCostly)
  /// The maximum number of strangers' calls that wait for such a hash, and of one network's. Each takes seconds.
  package static let mostWaitingCostly = 8
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
  package func settle() async {
    await endDelays()
    await access.settle()
  }

  /// The number of messages that wait for their time.
  package func delayedDeliveries() async -> Int { await deliveries.delayed }

  private func endDelays() async { await deliveries.endDelays() }

  /// The number of messages whose delivery waits for a thread.
  package var waitingDeliveries: Int { deliveries.waiting }

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
    guard let call = Self.localCall(call) else { throw .unsupported(C.self) }
    return try await answer(call, C.Response.self, from: caller)
  }

  /// Returns the call with what the provider does for it; `nil` for a call that the provider does not answer.
  private static func localCall(_ call: some Call) -> (any LocalCall)? {
    // Not `any LocalCall<C.Response>`: that cast takes longer than finding the call's row in the database.
    call as? any LocalCall
  }

  /// Returns what a call states about itself; `nil` for a call that the provider does not answer.
  package static func statement(of call: some Call, _ options: LocalOptions) -> (authority: Authority, work: CallWork)?
  {
    localCall(call).map { ($0.authority, $0.work(options)) }
  }

  /// Answers a call whose response has this type.
  private func answer<C: LocalCall, Response: Sendable>(
    _ call: C, _ type: Response.Type, from caller: Caller
  ) async throws(AuthError) -> Response {
    if call.authority == .administrator, !caller.isAdministrator { throw AuthError(server: .insufficientPermission) }
    // SQLite ends a text there, so the account would be in another tenant than its tokens say.
    if let tenant = call.tenantId, tenant.utf8.contains(0) { throw AuthError(server: .tenantNotFound) }
    let answered = try await carryOut(call, from: caller)
    try await answered.delivery?.end()
    guard let response = answered.response as? Response else {
      throw AuthError(.internalError, "a call has a response of another type")
    }
    return response
  }

  /// A response, and the delivery that its caller waits for.
  private struct Answered<Response: Sendable>: Sendable {
    let response: Response
    let delivery: ProviderAccess.Following?
  }

  /// Carries out the steps of a call. While the folder is open, a call that is one piece of work uses only the queue of
  /// that work.
  private func carryOut<C: LocalCall>(_ call: C, from caller: Caller) async throws(AuthError) -> Answered<C.Response> {
    let steps = call.steps(environment.options)
    switch steps {
    case .sending(let work, let finish): return try await carryOut(call, on: queue(for: work), from: caller, finish)
    case .hashing(let isKnown, let finish): return try await hash(call, knownIf: isKnown, from: caller, finish)
    case .grouped(let change):
      if let provider = access.enter() { return try await carryOut(call, change, by: provider, from: caller) }
      return try await carryOut(call, on: background, from: caller) { provider throws(AuthError) in
        try provider.database.writeTogether { db in try change(provider, db) }.typed()(provider)
      }
    case .identified(let credential, let finish):
      return try await identify(call, credential, from: caller, then: finish)
    }
  }

  /// Carries out one piece of work.
  private func carryOut<C: LocalCall>(
    _ call: C, on queue: BackgroundQueue, from caller: Caller, _ finish: @escaping CallSteps<C.Response>.Finish
  ) async throws(AuthError) -> Answered<C.Response> {
    let work = { @Sendable [self] (provider: Provider) throws(AuthError) -> Answered<C.Response> in
      try answer(call, by: provider, from: caller) { () throws(AuthError) in try finish(provider) }
    }
    if let provider = access.enter() {
      return try await queue.runInPlace(for: caller.party) { [access] () throws(AuthError) in
        defer { access.leave() }
        return try work(provider)
      }
    }
    return try await onWorkQueue { [access] () throws(AuthError) in
      try await access.useToTheEnd { provider throws(AuthError) in
        try await queue.run(for: caller.party) { () throws(AuthError) in try work(provider) }
      }
    }
  }

  /// Carries out a call that hashes a password. Whether the account knows the caller is looked up before the call waits
  /// for its turn (decision 132).
  private func hash<C: LocalCall>(
    _ call: C, knownIf isKnown: @escaping CallSteps<C.Response>.Acquaintance, from caller: Caller,
    _ finish: @escaping CallSteps<C.Response>.Finish
  ) async throws(AuthError) -> Answered<C.Response> {
    let steps = { @Sendable [self] (provider: Provider) async throws(AuthError) -> Answered<C.Response> in
      let work = { @Sendable [self] () throws(AuthError) -> Answered<C.Response> in
        try answer(call, by: provider, from: caller) { () throws(AuthError) in try finish(provider) }
      }
      // An emulator's passwords cost no hash.
      let isUnlimited = caller.isAdministrator || provider.accounts.isEmulators
      // The call itself meets the errors of the look-up, in its turn.
      let (isWelcome, isCostly) = await reading.runInPlace(for: caller.party) {
        (isUnlimited || (try? isKnown(provider, caller)) ?? false, call.checksCostlyHash(by: provider))
      }
      let queue = isCostly ? costly : hashing
      if isUnlimited { return try await queue.run(for: caller.party, work) }
      let answered =
        isWelcome
        ? try await queue.runAsKnown(for: caller.party, work) : try await queue.runAsStranger(for: caller.party, work)
      guard let answered else { throw .tooManyHashes }
      return answered
    }
    if let provider = access.enter() {
      defer { access.leave() }
      return try await steps(provider)
    }
    return try await onWorkQueue { [access] () throws(AuthError) in
      try await access.useToTheEnd { provider throws(AuthError) in try await steps(provider) }
    }
  }

  /// Carries out a call in two steps, with a provider that was entered. Its change is made together with the other
  /// waiting ones, on the queue for shared commits. No thread is blocked meanwhile.
  private func carryOut<C: LocalCall>(
    _ call: C, _ change: @escaping CallSteps<C.Response>.Change, by provider: Provider, from caller: Caller
  ) async throws(AuthError) -> Answered<C.Response> {
    let result: Result<Answered<C.Response>, AuthError> = await untilResumed { continuation in
      provider.database.writeTogether(on: committing) { db in
        try change(provider, db)
      } then: { [self] made in
        reading.async { [self] in
          let outcome = Result { () throws(AuthError) in
            try answer(call, by: provider, from: caller) { () throws(AuthError) in
              try typed { try made.get().typed() }(provider)
            }
          }
          access.leave()
          continuation.resume(returning: outcome)
        }
      }
    }
    return try result.typed()
  }

  /// Carries out a call whose credential must be checked with an identity provider. The folder is open meanwhile.
  private func identify<C: LocalCall>(
    _ call: C, _ credential: @escaping CallSteps<C.Response>.Credential, from caller: Caller,
    then finish: @escaping @Sendable (Provider, VerifiedIdentity) throws(AuthError) -> Answer<C.Response>
  ) async throws(AuthError) -> Answered<C.Response> {
    try await onWorkQueue { [self] () throws(AuthError) in
      try await access.useToTheEnd { [self] provider throws(AuthError) in
        let given = try credential(provider.options.acceptsUnverifiedIdentities)
        let configured = try await background.run(for: caller.party) { () throws(AuthError) in
          let tenant = try call.tenant(by: provider)
          let configured = try given.flatMap { given throws(AuthError) in
            try provider.identities.provider(given.providerID, of: tenant)
          }
          try provider.identityAttempts.begin(from: caller)
          return configured
        }
        let outcome: Result<VerifiedIdentity, AuthError>
        do throws(AuthError) {
          outcome = .success(try await identities.identity(of: given, configured))
        } catch { outcome = .failure(error) }
        return try await background.run(for: caller.party) { [self] () throws(AuthError) in
          let identity = try provider.identityAttempts.end(outcome, from: caller)
          return try answer(call, by: provider, from: caller) { () throws(AuthError) in
            try finish(provider, identity)
          }
        }
      }
    }
  }

  /// Answers a call for its caller, records the outcome, and begins to send the messages. Blocks: for background
  /// threads, with the provider entered.
  private func answer<C: LocalCall>(
    _ call: C, by provider: Provider, from caller: Caller, _ finish: () throws(AuthError) -> Answer<C.Response>
  ) throws(AuthError) -> Answered<C.Response> {
    defer { access.beginChores(of: provider, on: background, warning: deliveries) }
    // An administrator's call, and any call that was made with an administrator's credential.
    let isTraced = caller.credential != nil || call.authority == .administrator
    let trace = isTraced ? AuditTrace(.call(C.self), by: caller.credential ?? provider.audit.holder) : nil
    let outcome = caller.answering(tracedBy: trace) { () throws(AuthError) in
      try call.requireTenant(by: provider)
      return try provider.signIns.countingTold(by: call, caller, finish)
    }
    if let trace { provider.count(trace, outcome) }
    // A closure: a key path into a generic type is made anew each time.
    call.note(outcome.flatMap { $0.result }, by: provider, from: caller)
    let answer = try outcome.typed()
    let delivery = send(answer, to: caller)
    return Answered(response: try answer.result.typed(), delivery: delivery)
  }

  /// Begins to send the messages of an answer to a party. The provider stays open until they are delivered.
  ///
  /// - Returns: The delivery that the caller waits for.
  private func send<Response>(_ answer: Answer<Response>, to caller: Caller) -> ProviderAccess.Following? {
    let party = caller.party
    if let notice = answer.notice {
      access.follow { [deliveries] in await deliveries.deliverSilently(notice, for: party) }
    }
    if let text = answer.text {
      return access.following { [deliveries] () throws(AuthError) in try await deliveries.deliver(text, for: party) }
    }
    guard let message = answer.message else { return nil }
    let isKeptBack = answer.isKeptBack
    guard deliveries.areSilent || isKeptBack else {
      return access.following { [deliveries] () throws(AuthError) in try await deliveries.deliver(message, for: party) }
    }
    // A caller that holds the provider has the accounts as well.
    guard !caller.isAdministrator, !isEmulator else {
      if !isKeptBack { access.follow { [deliveries] in await deliveries.deliverSilently(message, for: party) } }
      return nil
    }
    access.follow { [deliveries] in await deliveries.deliverLater(message, isKeptBack: isKeptBack, for: party) }
    return nil
  }

  private func queue(for work: CallWork) -> BackgroundQueue {
    switch work {
    case .reading: reading
    case .changing: background
    case .hashing: hashing
    }
  }

  /// The executor on which a server runs its connections. A read-only call is answered on the thread that has read it.
  package var executor: any TaskExecutor { reading.executor }

  // MARK: Work with the provider

  /// Runs work on a background thread, with the provider open.
  ///
  /// - Parameters:
  ///   - trace: the trace that the work leaves in the audit log.
  ///   - caller: the caller that wants the work. Networks take turns.
  func withProvider<Value: Sendable>(
    _ trace: TraceKind, for caller: Caller = .administrator,
    _ work: @escaping @Sendable (Provider) throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    try await onWorkQueue(access.running(traced(trace, work), on: background, for: caller.party))
  }

  /// The completion form of `withProvider(_:_:)`.
  func withProvider<Value: Sendable>(
    _ trace: TraceKind, completion: @escaping Completion<Value>, _ name: StaticString = #function,
    _ work: @escaping @Sendable (Provider) throws(AuthError) -> Value
  ) {
    callbacks.deliver(to: completion, name, access.running(traced(trace, work), on: background))
  }

  /// Returns work that leaves a trace in the audit log.
  private func traced<Value: Sendable>(
    _ kind: TraceKind, _ work: @escaping @Sendable (Provider) throws(AuthError) -> Value
  ) -> @Sendable (Provider) throws(AuthError) -> Value {
    guard case .administrator(let name, let credential) = kind else { return work }
    return { [access, background, deliveries] provider throws(AuthError) in
      defer { access.beginChores(of: provider, on: background, warning: deliveries) }
      return try provider.tracing(.work(name), by: credential) { () throws(AuthError) in try work(provider) }
    }
  }

  /// Runs an import or an export of a whole file, on the thread for these.
  func transfer<Value: Sendable>(
    _ trace: TraceKind, _ work: @escaping @Sendable (Provider) throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    try await onWorkQueue(access.running(traced(trace, work), on: transferring))
  }

  /// The completion form of `transfer(_:_:)`.
  func transfer<Value: Sendable>(
    _ trace: TraceKind, completion: @escaping Completion<Value>, _ name: StaticString = #function,
    _ work: @escaping @Sendable (Provider) throws(AuthError) -> Value
  ) {
    callbacks.deliver(to: completion, name, access.running(traced(trace, work), on: transferring))
  }

  /// The queue on which the app's closures are called.
  var callbackQueue: CallbackQueue { callbacks }
}

extension Backend where Self == LocalBackend {
  /// The identity provider in this process, with its own folder.
  public static func local(
    directory: String, options: LocalOptions = LocalOptions(), callbackQueue: DispatchQueue = .main
  ) -> LocalBackend {
    LocalBackend(directory: directory, options: options, callbackQueue: callbackQueue)
  }
}
