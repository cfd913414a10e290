import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// The ways to sign in that a tenant allows.
struct TenantRuleTests {
  private let scene = Scene()

  /// Makes a tenant that allows these ways, and a guest in it.
  private func guest(_ document: JSONObject) async throws -> (tenant: String, idToken: Secret) {
    let made = try await scene.backend.answer(CreateResource(.tenant, document))
    let name = try #require(made.json["name"]?.string)
    let tenant = String(name.split(separator: "/").last ?? "")
    var call = SignUp()
    call.tenantId = tenant
    return (tenant, try await scene.backend.answer(call).idToken)
  }

  @Test func `a user of a tenant gets no way to sign in that it does not allow, whether or not a call names it`()
    async throws
  {
    let (tenant, idToken) = try await guest(["enableAnonymousUser": true, "allowPasswordSignup": false])
    let password = Secret("correct horse")
    for named in [nil, tenant] {
      var signUp = SignUp(email: "ada@example.com", password: password)
      (signUp.idToken, signUp.tenantId) = (idToken, named)
      await expectRefusal("OPERATION_NOT_ALLOWED") { [signUp] in try await scene.backend.answer(signUp) }
      await expectRefusal("OPERATION_NOT_ALLOWED") {
        try await scene.update(idToken) { ($0.email, $0.password, $0.tenantId) = ("ada@example.com", password, named) }
      }
      var link = SignInWithEmailLink(email: "ada@example.com", oobCode: Secret("x"), linkingTo: idToken)
      link.tenantId = named
      await expectRefusal("OPERATION_NOT_ALLOWED") { [link] in try await scene.backend.answer(link) }
      // Other changes are no way to sign in.
      #expect(try await scene.update(idToken) { ($0.displayName, $0.tenantId) = ("Ada", named) }.displayName == "Ada")
    }
    #expect(try await scene.lookUp(idToken).email == nil)
  }

  @Test func `a user of a tenant gets a way that it allows without naming it`() async throws {
    let document: JSONObject = ["enableAnonymousUser": true, "allowPasswordSignup": true]
    let (tenant, idToken) = try await guest(document)
    var signUp = SignUp(email: "ada@example.com", password: Secret("correct horse"))
    signUp.idToken = idToken
    let user = try await scene.backend.answer(signUp)
    let updated = try await scene.update(user.idToken) {
      ($0.password, $0.returnSecureToken) = (Secret("another horse"), true)
    }
    #expect(try await scene.lookUp(#require(updated.idToken)).tenantId == tenant)
  }
}
