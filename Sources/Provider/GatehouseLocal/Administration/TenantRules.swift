import GRDB
import GatehouseBase
import IdentityToolkit

extension StoredAccount {
  /// Refuses a user of a tenant that is switched off: a call with a token need not name the tenant.
  func requireTenantSwitchedOn(in db: Database) throws {
    if !tenant.isEmpty { try TenantRules(of: tenant, in: db).requireSwitchedOn() }
  }
}

/// Which ways to sign in a tenant has. One without a document of its own has all of them.
struct TenantRules {
  private let document: JSONObject?

  init(of tenant: String, in db: Database) throws { document = try Provider.find(.tenant, tenant, of: "", in: db) }

  /// Refuses a call that the tenant does not allow. An administrator's calls are none of these.
  func require(_ call: some Call) throws(AuthError) {
    guard let document else { return }
    if !(call is any AdminCall) { try requireSwitchedOn() }
    let hasPassword = document["allowPasswordSignup"]?.bool ?? false
    switch call {
    case let call as SignUp where call.password == nil && call.idToken == nil:
      guard document["enableAnonymousUser"]?.bool ?? false else { throw AuthError(server: "ADMIN_ONLY_OPERATION") }
    case is SignUp: guard hasPassword else { throw AuthError(server: "OPERATION_NOT_ALLOWED") }
    case is SignInWithPassword: guard hasPassword else { throw AuthError(server: "PASSWORD_LOGIN_DISABLED") }
    case is SignInWithEmailLink: try requireLinks(document)
    case let call as SendOobCode where call.requestType == .emailSignIn: try requireLinks(document)
    default: return
    }
  }

  /// Refuses what users do while the tenant is switched off.
  func requireSwitchedOn() throws(AuthError) {
    guard document?["disableAuth"]?.bool == true else { return }
    throw AuthError(server: "OPERATION_NOT_ALLOWED : the tenant is switched off")
  }

  private func requireLinks(_ document: JSONObject) throws(AuthError) {
    guard document["enableEmailLinkSignin"]?.bool ?? false else { throw AuthError(server: "OPERATION_NOT_ALLOWED") }
  }
}
