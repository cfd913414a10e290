import GatehouseREST
import GatehouseTesting
import HangGuard
import Testing

@Suite(.endsIfItHangs) struct RESTContractTests {
  @Test(arguments: BackendContract.all)
  func `the client keeps the contract of backends over a server that does`(_ check: BackendContract.Check) async throws
  {
    try await check.run { RESTBackend(apiKey: "the key", transport: WireServer(backend: ScriptedBackend())) }
  }
}
