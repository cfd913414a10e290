import GRDB
import GatehouseBase

/// The settings, the clock, the database and the audit log of an open provider, which every part uses.
final class ProviderStore: Sendable {
  let environment: ProviderEnvironment
  let home: HomeFolder
  let database: AccountDatabase
  let audit: AuditLog
  let chores: Chores

  /// Call after the home's first key is made, because its time counts as that of the last pruning.
  init(_ environment: ProviderEnvironment, _ home: HomeFolder, _ database: AccountDatabase) throws(AuthError) {
    self.environment = environment
    self.home = home
    self.database = database
    audit = AuditLog(
      home: home, options: environment.options.audit, holder: environment.options.holder ?? .program)
    chores = Chores(prunedAt: try database.read(Pruning.last) ?? 0)
  }
}

/// A part of an open provider. It holds the store and only parts before it. All of its methods block: for background
/// threads only.
protocol ProviderPart: Sendable {
  var store: ProviderStore { get }
}

extension ProviderPart {
  var options: LocalOptions {
    _read { yield store.environment.options }
  }
  var database: AccountDatabase { store.database }

  /// Whether no answer tells if an address has an account in a tenant, or in the project for an empty name.
  func hidesAccounts(of tenant: String) -> Bool { store.environment.hidesAccounts(of: tenant) }
  var audit: AuditLog { store.audit }

  func now() throws(AuthError) -> Moment { try Moment(options.clocks.now()) }

  /// Records the end of a call, with its events.
  func note(_ events: [AuditEvent], at now: Moment) {
    store.chores.note(auditIsDue: audit.note(events, at: now), at: now)
  }

  /// Runs an administrator's work, and counts it if it has recorded no event.
  func tracing<Value>(
    _ call: CallName, by credential: AdministratorCredential?, _ work: () throws(AuthError) -> Value
  ) throws(AuthError) -> Value {
    let trace = AuditTrace(call, by: credential ?? audit.holder)
    let outcome = AuditTrace.$current.withValue(trace) { Result { () throws(AuthError) in try work() } }
    count(trace, outcome)
    return try outcome.typed()
  }

  /// Counts an administrator's work, unless it has recorded an event.
  func count<Value>(_ trace: AuditTrace, _ outcome: Result<Value, AuthError>) {
    guard !trace.hasEvent else { return }
    var isRefused = false
    if case .failure = outcome { isRefused = true }
    count(.init(kind: .callsMade, credential: trace.credential, call: trace.call, reason: nil), isRefused: isRefused)
  }

  func count(_ key: CallCounts.Key, isRefused: Bool = false) {
    guard let now = try? now() else { return }
    guard audit.count(key, isRefused: isRefused, at: now) else { return }
    store.chores.note(auditIsDue: true, at: now)
  }

  /// Records what a call has done to an account beside its outcome, if the transaction is committed.
  func note(_ kind: AuditEvent.Kind, of account: StoredAccount, whenCommitted db: Database, at now: Moment) {
    note([kind], of: account, whenCommitted: db, at: now)
  }

  func note(_ kinds: [AuditEvent.Kind], of account: StoredAccount, whenCommitted db: Database, at now: Moment) {
    guard !kinds.isEmpty else { return }
    let events = kinds.map { AuditEvent($0, of: account, byAdministrator: false, at: now) }
    db.afterNextTransaction { _ in note(events, at: now) }
  }
}
