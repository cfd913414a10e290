import GRDB
import GatehouseBase
import IdentityToolkit

/// The tenants.
struct Tenants: ProviderPart {
  let store: ProviderStore

  /// Returns what a tenant allows. Refuses a missing tenant.
  func rules(of tenant: String) throws(AuthError) -> TenantRules {
    let rules = try database.read { db in
      try Self.exists(tenant, in: db) ? TenantRules(of: tenant, in: db) : nil
    }
    guard let rules else { throw AuthError(server: .invalidTenantID) }
    return rules
  }

  /// Returns the requirements for new passwords of a tenant's users, or of the project's for an empty name.
  func passwordRequirements(of tenant: String) throws(AuthError) -> PasswordRequirements {
    guard !tenant.isEmpty else { return options.passwordRequirements }
    let own = try database.read { db in try TenantRules(of: tenant, in: db).passwordRequirements }
    return own ?? options.passwordRequirements
  }

  func require(_ id: String) throws(AuthError) {
    guard try database.read({ db in try Self.exists(id, in: db) }) else { throw AuthError(server: .invalidTenantID) }
  }

  func all() throws(AuthError) -> [TenantRecord] {
    try database.read { db in
      try Row.fetchAll(db, sql: "SELECT * FROM tenant ORDER BY id").map { row in
        TenantRecord(id: row["id"], displayName: row["displayName"], createdAt: row["createdAt"])
      }
    }
  }

  func create(_ id: String, _ displayName: String?) throws(AuthError) -> TenantRecord {
    try Identifier.check(tenant: id)
    let displayName = try displayName.flatMap(ProfileField.displayName.checked)
    let now = try now()
    return try database.write { db in
      guard try !Self.exists(id, in: db) else {
        throw AuthError(.invalidArgument, "there is a tenant \(id) already", server: .duplicateTenantID)
      }
      try db.change(
        "INSERT INTO tenant (id, displayName, createdAt) VALUES (?, ?, ?)", [id, displayName, now.milliseconds])
      try audit.record(AuditEvent(.tenantCreated, tenant: id, at: now), at: now)
      return TenantRecord(id: id, displayName: displayName, createdAt: now.milliseconds)
    }
  }

  func rename(_ id: String, _ displayName: String?) throws(AuthError) {
    let displayName = try displayName.flatMap(ProfileField.displayName.checked)
    let now = try now()
    try database.write { db in
      // Compared as bytes, by SQLite.
      try db.change(
        "UPDATE tenant SET displayName = ? WHERE id = ? AND displayName IS NOT ?", [displayName, id, displayName])
      guard db.changesCount > 0 else { return }
      try audit.record(
        AuditEvent(
          .configurationChanged, configuration: ResourceKind.tenant.rawValue, id, tenant: "", changed: ["displayName"],
          at: now),
        at: now)
    }
  }

  /// Deletes a tenant. The accounts are deleted first, some at a time, so that others need not wait for all of them. If
  /// the process is killed in between, the tenant and the remaining accounts are kept.
  func delete(_ id: String) throws(AuthError) {
    let now = try now()
    while try !deleteSome(of: id, at: now) {}
  }

  /// - Returns: whether the tenant was deleted.
  private func deleteSome(of id: String, at now: Moment) throws(AuthError) -> Bool {
    try database.write { db in
      guard try Self.exists(id, in: db) else { throw AuthError(server: .tenantNotFound) }
      let accounts = try StoredAccount.every(
        "SELECT * FROM account WHERE tenant = ? ORDER BY uid LIMIT 200", [id], in: db)
      for account in accounts { try account.remove(in: db) }
      try audit.record(accounts.map { AuditEvent(.accountDeleted, of: $0, at: now) }, at: now)
      guard accounts.isEmpty else { return false }
      try db.change("DELETE FROM actionCode WHERE tenant = ?", [id])
      try db.change("DELETE FROM phoneCode WHERE tenant = ?", [id])
      try db.change("DELETE FROM resource WHERE tenant = ? OR kind = 'tenant' AND id = ?", [id, id])
      try db.change("DELETE FROM tenant WHERE id = ?", [id])
      try audit.record(AuditEvent(.tenantDeleted, tenant: id, at: now), at: now)
      return true
    }
  }

  private static func exists(_ id: String, in db: Database) throws -> Bool {
    try db.finds("SELECT 1 FROM tenant WHERE id = ?", [id])
  }
}
