import GatehouseREST
import GatehouseServer
import GatehouseTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct WireContractTests {
  @Test(arguments: BackendContract.all + BackendContract.signing)
  func `the client and the server keep the contract between them`(_ check: BackendContract.Check)
    async throws
  {
    try await check.run { RESTBackend(ServerScene { $0.enumerationProtection = false }) }
  }
}
