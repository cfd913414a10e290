import GatehouseLocal
import GatehouseTesting
import HangGuard
import IdentityToolkit
import Testing

@Suite(.endsIfItHangs) struct BackendContractTests {
  @Test(arguments: Self.plain)
  func `the embedded provider keeps the contract`(_ check: BackendContract.Check) async throws {
    let scene = Scene()
    try await check.run { scene.backend }
  }

  @Test(arguments: Self.equipped, [false, true])
  func `the embedded provider keeps the contract of what leaves it`(
    _ check: BackendContract.EquippedCheck, protectsAddresses: Bool
  ) async throws {
    let equipped = try await EquippedScene { $0.enumerationProtection = protectsAddresses }
    try await check.run(equipped.backend, with: equipped.equipment)
  }

  @Test(arguments: Self.equipped.filter { !$0.name.hasPrefix("a message to an unknown address") })
  func `a check without what it needs says so`(_ check: BackendContract.EquippedCheck) async throws {
    let equipped = try await EquippedScene()
    let violation = await #expect(throws: BackendContract.Violation.self) {
      try await check.run(equipped.backend, with: BackendContract.Equipment())
    }
    #expect(violation?.description.contains("needs Equipment.") == true)
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

  @Test(arguments: Self.plain)
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

  private static let plain = BackendContract.all + BackendContract.signing + BackendContract.sessions
  private static let equipped =
    BackendContract.messages + BackendContract.secondFactors + BackendContract.phones + BackendContract.tenants
    + BackendContract.identities + BackendContract.customTokens

  private var names: [String] {
    Self.plain.map(\.name) + Self.equipped.map(\.name) + BackendContract.administered.map(\.name)
  }

  private func run(_ name: String, over flaw: BrokenBackend.Flaw?) async throws {
    let scene = try await EquippedScene()
    let backend = BrokenBackend(flaw, scene.backend)
    for check in Self.plain where check.name == name { try await check.run { backend } }
    for check in Self.equipped where check.name == name { try await check.run(backend, with: scene.equipment) }
    for check in BackendContract.administered where check.name == name {
      try await check.run(
        backend, setDisabled: { try await backend.setDisabled($0, $1) }, revoke: { try await backend.revoke($0) })
    }
  }
}
