import GatehouseServer
import GatehouseTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct WireContractTests {
  @Test(arguments: BackendContract.all + BackendContract.signing)
  func `a backend that speaks the protocol with a server keeps the contract`(_ check: BackendContract.Check)
    async throws
  {
    try await check.run { WireBackend(scene: ServerScene { $0.enumerationProtection = false }) }
  }
}
