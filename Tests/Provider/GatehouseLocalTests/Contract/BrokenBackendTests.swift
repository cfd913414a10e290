import GatehouseTesting
import HangGuard
import Testing

/// The checks of the contract fail where a backend breaks it.
@Suite(.endsIfItHangs) struct BrokenBackendTests {
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

  @Test(arguments: BackendContract.equipped.filter { !$0.name.hasPrefix("a message to an unknown address") })
  func `a check without what it needs says so`(_ check: BackendContract.EquippedCheck) async throws {
    let equipped = try await EquippedScene()
    let violation = await #expect(throws: BackendContract.Violation.self) {
      try await check.run(equipped.backend, with: BackendContract.Equipment())
    }
    #expect(violation?.description.contains("needs Equipment.") == true)
  }

  @Test(arguments: BackendContract.all)
  func `the scripted backend keeps the contract, left alone`(_ check: BackendContract.Check) async throws {
    try await check.run { ScriptedBackend() }
  }

  private var names: [String] {
    BackendContract.plain.map(\.name) + BackendContract.equipped.map(\.name) + BackendContract.administered.map(\.name)
  }

  private func run(_ name: String, over flaw: BrokenBackend.Flaw?) async throws {
    let scene = try await EquippedScene()
    let backend = BrokenBackend(flaw, scene.backend)
    for check in BackendContract.plain where check.name == name { try await check.run { backend } }
    for check in BackendContract.equipped where check.name == name {
      try await check.run(backend, with: scene.equipment)
    }
    for check in BackendContract.administered where check.name == name {
      try await check.run(
        backend, setDisabled: { try await backend.setDisabled($0, $1) }, revoke: { try await backend.revoke($0) })
    }
  }
}
