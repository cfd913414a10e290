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
    audit = AuditLog(home: home, options: environment.options.audit)
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
