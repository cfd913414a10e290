import GRDB
import GatehouseBase
import IdentityToolkit

/// The rows of the documents that administrators configure.
enum StoredResource {
  static func find(_ kind: ResourceKind, _ id: String, of tenant: String, in db: Database) throws -> JSONObject? {
    let statement = try db.cachedStatement(
      sql: "SELECT document FROM resource WHERE kind = ? AND tenant = ? AND id = ?")
    let text = try String.fetchOne(statement, arguments: [kind.rawValue, tenant, id])
    return try text.map(read)
  }

  static func read(_ text: String) throws(AuthError) -> JSONObject {
    do throws(AuthError) { return try JSONObject(reading: text.utf8) } catch {
      throw AuthError(.providerDamaged, "a configuration cannot be read; restore the accounts from a copy")
    }
  }
}
