import ArgumentParser
import GatehouseBase
import GatehouseLocal

/// `gate tenants`
struct TenantsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tenants", abstract: "List, make and delete the tenants of the home's identity provider.",
    discussion: """
      A tenant is a part of the project with accounts of its own: one address may have an account in each. --tenant \
      names it for gate sign-up, sign-in, reset-password, apply-code, users create and users list.
      """,
    subcommands: [TenantsListCommand.self, TenantsCreateCommand.self, TenantsDeleteCommand.self])
}

/// `gate tenants list`
struct TenantsListCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the tenants, in the order of their identifiers.")

  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let tenants = try await home.home().administer { backend throws(AuthError) in
      try await typed { try await backend.tenants() }
    }
    try answer.write(
      tenants.isEmpty ? "there is no tenant" : tenants.map(\.line).table,
      json: ["tenants": .array(tenants.map { .object($0.json) })])
  }
}

/// `gate tenants create ID`
struct TenantsCreateCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make a tenant, which has no accounts yet.")

  @Argument(help: ArgumentHelp("1 to 64 letters of ASCII, digits and hyphens.", valueName: "id")) var id: String
  @Option(name: .customLong("name"), help: ArgumentHelp("The name to show to administrators.", valueName: "name"))
  var displayName: String?
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func validate() throws {
    if displayName == "" { throw ValidationError("--name is empty; leave it out") }
  }

  func run() async throws {
    let tenant = try await home.home().administer { backend throws(AuthError) in
      try await typed { try await backend.createTenant(id, displayName: displayName) }
    }
    try answer.write("made a tenant: \(tenant.line)", json: tenant.json)
  }
}

/// `gate tenants delete ID`
struct TenantsDeleteCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a tenant and all its accounts, for good.",
    discussion: "Asks first, unless --yes is given.")

  @Argument(help: ArgumentHelp("The tenant's identifier.", valueName: "id")) var id: String
  @Flag(help: "Do not ask.") var yes = false
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let home = try home.home()
    let known = try await home.administer { backend throws(AuthError) in
      try await typed { try await backend.tenants() }
    }
    guard let tenant = known.first(where: { $0.id.isExactly(id) }) else {
      throw AuthError(.invalidArgument, "no tenant is called \(id.shown); gate tenants list shows them")
    }
    if !yes { try Confirmation.ask("Delete \(tenant.line) and all its accounts for good?") }
    try await home.administer { backend throws(AuthError) in
      try await typed { try await backend.deleteTenant(tenant.id) }
    }
    try answer.write("deleted: \(tenant.line)", json: ["deleted": .bool(true), "id": .string(tenant.id)])
  }
}

extension TenantRecord {
  /// For people to read.
  fileprivate var line: String { "\(id.shown)\(displayName.map { ", \($0.shown)" } ?? "")" }

  /// For programs; unknown values are omitted. The time is in seconds since 1970.
  fileprivate var json: JSONObject {
    var json: JSONObject = ["id": .string(id)]
    json["displayName"] = displayName.map(JSONValue.string)
    json["created"] = .number(JSONNumber(createdAt / 1000))
    return json
  }
}
