import GatehouseBase
import IdentityToolkit

extension BackendContract {
  /// The additional checks for a backend with tenants. They need `Equipment.tenant`.
  public static let tenants: [EquippedCheck] = [
    EquippedCheck(name: "a tenant's accounts are apart from the project's") { backend, equipment in
      let ada = Person()
      let tenant = try equipment.knownTenant()
      let inProject = try await backend.signUp(ada)
      var signUp = SignUp(email: ada.email, password: somethingSecret())
      signUp.tenantId = tenant
      let password = signUp.password ?? Secret("")
      guard case .success(let made) = await outcome(of: signUp, by: backend) else {
        throw Violation(description: "an address that has an account in the project should be free in a tenant")
      }
      try expect(!made.localId.isExactly(inProject.localId), "one account is in the project and in a tenant")
      var signIn = SignInWithPassword(email: ada.email, password: password)
      try await expectRefusal(of: signIn, by: backend, with: wrongPassword, "a tenant's password in the project")
      signIn.tenantId = tenant
      try expect(try await backend.answer(signIn).localId, isExactly: made.localId, "the account in the tenant")
      try expect(try await backend.signIn(ada).localId, isExactly: inProject.localId, "the account in the project")
    },
    EquippedCheck(name: "a tenant's account and its tokens say the tenant, also after a refresh") {
      backend, equipment in
      let ada = Person()
      let tenant = try equipment.knownTenant()
      var signUp = SignUp(email: ada.email, password: ada.password)
      signUp.tenantId = tenant
      let made = try await backend.answer(signUp)
      try expect(try await backend.account(made.idToken).tenantId, isExactly: tenant, "the tenant of an account")
      for token in [made.idToken, try await backend.refresh(made.refreshToken).idToken] {
        let parts = token.revealed.split(separator: ".").map(String.init)
        let claims = parts.count > 1 ? try JSONObject(parsing: try Base64URL.decode(parts[1])) : JSONObject()
        try expect(claims["firebase"]?["tenant"]?.string, isExactly: tenant, "the tenant in an ID token")
      }
    },
    EquippedCheck(name: "a tenant that is not there is refused") { backend, equipment in
      let ada = Person()
      var signUp = SignUp(email: ada.email, password: ada.password)
      signUp.tenantId = "none-\(try equipment.knownTenant())"
      try await expectRefusal(
        of: signUp, by: backend, with: [.invalidArgument, .tenantIDMismatch], "a sign-up in a tenant that is not there")
    },
  ]
}
