import GatehouseBase
import GatehouseCrypto
import IdentityToolkit

/// The tenants as an administrator configures them. A tenant without a document allows every way to sign in.
struct TenantDocuments {
  private let tenants: Tenants
  private let resources: Resources

  init(of tenants: Tenants, in resources: Resources) { (self.tenants, self.resources) = (tenants, resources) }

  func create(_ document: JSONObject) throws(AuthError) -> JSONObject {
    var document = document
    try Self.check(document)
    let name = document["displayName"]?.string
    document["displayName"] = nil
    let id = try Self.identifier(for: name ?? "")
    // The document comes before the tenant, which without its document would allow every way to sign in.
    let kept = try resources.setResource(.tenant, id, of: "") { _ in document }
    try resources.adoptConfiguration()
    return shown(try tenants.create(id, name), kept)
  }

  func read(_ id: String) throws(AuthError) -> JSONObject { try shown(try record(id)) }

  func list(after: String, _ size: Int) throws(AuthError) -> [(id: String, document: JSONObject)] {
    // In the order of their identifiers, compared as bytes.
    let records = try tenants.all().drop { !after.utf8.lexicographicallyPrecedes($0.id.utf8) }.prefix(size)
    var found: [(id: String, document: JSONObject)] = []
    for record in records { found.append((record.id, try shown(record))) }
    return found
  }

  func update(_ id: String, _ change: DocumentChange) throws(AuthError) -> JSONObject {
    let record = try record(id)
    let name = change.applied(to: ["displayName": .string(record.displayName ?? "")])["displayName"]?.string
    let kept = try resources.setResource(.tenant, id, of: "") { old throws(AuthError) in
      var new = change.applied(to: old ?? Self.everything)
      new["displayName"] = nil
      try Self.check(new)
      return new
    }
    try resources.adoptConfiguration()
    try tenants.rename(id, name)
    return shown(try self.record(id), kept)
  }

  func delete(_ id: String) throws(AuthError) { try tenants.delete(try record(id).id) }

  private static func check(_ document: JSONObject) throws(AuthError) {
    try SecondFactorRules.check(document["mfaConfig"], "mfaConfig")
    try TextRegions.check(document["smsRegionConfig"])
    _ = try document["passwordPolicyConfig"]?.object.flatMap(ProjectConfiguration.requirements)
  }

  private func record(_ id: String) throws(AuthError) -> TenantRecord {
    guard let found = try tenants.all().first(where: { $0.id.isExactly(id) }) else {
      throw AuthError(server: .tenantNotFound)
    }
    return found
  }

  private func shown(_ record: TenantRecord) throws(AuthError) -> JSONObject {
    shown(record, try resources.resource(.tenant, record.id, of: ""))
  }

  private func shown(_ record: TenantRecord, _ document: JSONObject?) -> JSONObject {
    var shown = document ?? Self.everything
    shown["displayName"] = record.displayName.map(JSONValue.string)
    return shown.named("projects/\(resources.options.projectID)/tenants/\(record.id)")
  }

  private static let everything: JSONObject = [
    "allowPasswordSignup": true, "enableEmailLinkSignin": true, "enableAnonymousUser": true,
  ]

  /// Makes the identifier of a new tenant: the letters, digits and hyphens of its name, and five random characters that
  /// make it unique.
  private static func identifier(for name: String) throws(AuthError) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
    let beginning = name.lowercased().utf8.filter { letters.contains($0) || $0 == UInt8(ascii: "-") }.prefix(40)
    var end: [UInt8] = []
    while end.count < 5 {
      // 252 = 7 * 36: larger bytes would make the first letters more likely than the others.
      end += try RandomBytes.bytes(8).filter { $0 < 252 }.map { letters[Int($0) % letters.count] }
    }
    let text = beginning.isEmpty ? Array("tenant".utf8) : Array(beginning)
    return String(decoding: text + [UInt8(ascii: "-")] + end.prefix(5), as: UTF8.self)
  }
}
