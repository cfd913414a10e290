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

  init(of tenant: String, in db: Database) throws { document = try Provider.find(.tenant, tenant, of: "", in: db) }

  /// The second factors that the tenant's users may enroll; `nil` for those of the project's configuration.
  var secondFactors: SecondFactorRules? { document?["mfaConfig"].map(SecondFactorRules.init) }

  /// Refuses a call that the tenant does not allow. Administrators' calls are always allowed.
  func require(_ call: some Call) throws(AuthError) {
    guard let document else { return }
    if !(call is any AdminCall) { try requireSwitchedOn() }
    let hasPassword = document["allowPasswordSignup"]?.bool ?? false
    switch call {
    case let call as SignUp where call.password == nil && call.idToken == nil:
      guard document["enableAnonymousUser"]?.bool ?? false else { throw AuthError(server: .adminOnlyOperation) }
    case is SignUp: guard hasPassword else { throw AuthError(server: .operationNotAllowed) }
    case is SignInWithPassword: guard hasPassword else { throw AuthError(server: .passwordLoginDisabled) }
    case is SignInWithEmailLink: try requireLinks(document)
    case let call as SendOobCode where call.requestType == .emailSignIn: try requireLinks(document)
    default: return
    }
  }

  /// Refuses users' calls while the tenant is disabled.
  func requireSwitchedOn() throws(AuthError) {
    guard document?["disableAuth"]?.bool == true else { return }
    throw AuthError(server: .operationNotAllowed, "the tenant is switched off")
  }

  private func requireLinks(_ document: JSONObject) throws(AuthError) {
    guard document["enableEmailLinkSignin"]?.bool ?? false else { throw AuthError(server: .operationNotAllowed) }
  }
}
