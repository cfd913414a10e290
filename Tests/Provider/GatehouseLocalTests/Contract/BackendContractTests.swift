import GatehouseLocal
import GatehouseTesting
import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(10))) struct BackendContractTests {
  @Test(arguments: BackendContract.all + BackendContract.signing)
  func `the embedded provider keeps the contract`(_ check: BackendContract.Check) async throws {
    let scene = Scene()
    try await check.run { scene.backend }
  }

  @Test(arguments: BackendContract.administered)
  func `the embedded provider keeps the contract under an administrator`(
    _ check: BackendContract.AdministeredCheck
  ) async throws {
    let backend = Scene().backend
    try await check.run(
      backend, setDisabled: { try await backend.setDisabled(uid: $0, $1) },
      revoke: { try await backend.revoke(uid: $0) })
  }

  @Test(arguments: BackendContract.all + BackendContract.signing)
  func `it keeps it with enumeration protection and rotation, too`(_ check: BackendContract.Check) async throws {
    let scene = Scene {
      $0.enumerationProtection = true
      $0.rotatesRefreshTokens = true
    }
    try await check.run { scene.backend }
  }

  @Test(arguments: BackendContract.all)
  func `the scripted backend keeps the contract, left alone`(_ check: BackendContract.Check) async throws {
    try await check.run { ScriptedBackend() }
  }

  // MARK: The suite can fail

  @Test(arguments: BrokenBackend.Flaw.allCases)
  func `every flaw is noticed by the check that is there for it`(_ flaw: BrokenBackend.Flaw) async throws {
    await #expect(throws: BackendContract.Violation.self) { try await run(flaw.check, over: flaw) }
  }

  @Test func `there is a flaw for every check, and each check has a name of its own`() {
    #expect(Set(names).count == names.count)
    #expect(Set(BrokenBackend.Flaw.allCases.map(\.check)) == Set(names))
  }

  @Test func `the backend that the broken ones are made from is not broken`() async throws {
    for name in names { try await run(name, over: nil) }
  }

  private var names: [String] {
    (BackendContract.all + BackendContract.signing).map(\.name) + BackendContract.administered.map(\.name)
  }

  private func run(_ name: String, over flaw: BrokenBackend.Flaw?) async throws {
    let scene = Scene()
    let backend = BrokenBackend(flaw, scene.backend)
    for check in BackendContract.all + BackendContract.signing where check.name == name {
      try await check.run { backend }
    }
    for check in BackendContract.administered where check.name == name {
      try await check.run(
        backend, setDisabled: { try await backend.setDisabled($0, $1) }, revoke: { try await backend.revoke($0) })
    }
  }
}
