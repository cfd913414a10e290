import GatehouseBase
import GatehouseREST
import GatehouseServer
import GatehouseTesting
import HangGuard
import IdentityToolkit
import Testing

@Suite(.endsIfItHangs) struct WireContractTests {
  @Test(arguments: BackendContract.all + BackendContract.signing)
  func `the client and the server keep the contract between them`(_ check: BackendContract.Check)
    async throws
  {
    try await check.run { RESTBackend(ServerScene { $0.enumerationProtection = false }) }
  }

  @Test func `recovery codes are asked of the server that the client has, and of no other host`() async throws {
    let backend = RESTBackend(ServerScene())
    let ada = try await backend.answer(SignUp(email: "ada@example.com", password: Secret("correct horse")))
    let call = MakeRecoveryCodes(idToken: ada.idToken)
    let error = await #expect(throws: AuthError.self) { try await backend.answer(call) }
    #expect(error?.serverCode == "MFA_ENROLLMENT_NOT_FOUND", "the server's word: there is no second factor yet")
  }
}
