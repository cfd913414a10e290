import GRDB
import GatehouseBase
import IdentityToolkit

extension StoredAccount {
  /// Refuses a user of a disabled tenant. A call with a token need not name the tenant.
  func requireTenantSwitchedOn(in db: Database) throws {
    if !tenant.isEmpty { try TenantRules(of: tenant, in: db).requireSwitchedOn() }
  }
}

/// The ways to sign in that a tenant allows. A tenant without a document allows all of them.
struct TenantRules {
  private let document: JSONObject?

  init(of tenant: String, in db: Database) throws {
    document = try StoredResource.find(.tenant, tenant, of: "", in: db)
  }

  /// The second factors that the tenant's users may enroll; `nil` for those of the project's configuration.
  var secondFactors: SecondFactorRules? { document?["mfaConfig"].map(SecondFactorRules.init) }

  /// The regions whose phones receive the tenant's texts; `nil` for those of the project's configuration.
  var textRegions: TextRegions? { document?["smsRegionConfig"].map(TextRegions.init) }

  /// The requirements for new passwords of the tenant's users; `nil` for those of the project.
  var passwordRequirements: PasswordRequirements? {
    get throws(AuthError) { try document?["passwordPolicyConfig"]?.object.flatMap(ProjectConfiguration.requirements) }
  }

  /// Refuses users' calls while the tenant is disabled.
  func requireSwitchedOn() throws(AuthError) {
    guard document?["disableAuth"]?.bool == true else { return }
    throw AuthError(server: .operationNotAllowed, "the tenant is switched off")
  }

  /// Refuses a way to sign in that the tenant does not allow. A tenant without a document allows all.
  func require(_ way: Way, else word: ServerWord = .operationNotAllowed) throws(AuthError) {
    guard let document, document[way.rawValue]?.bool != true else { return }
    throw AuthError(server: word)
  }

  /// The ways to sign in, by their names in the document.
  enum Way: String {
    case anonymous = "enableAnonymousUser"
    case password = "allowPasswordSignup"
    case link = "enableEmailLinkSignin"
  }
}
