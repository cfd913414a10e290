import GatehouseLocal
import GatehouseTesting
import HangGuard
import IdentityToolkit
import Testing

@Suite(.endsIfItHangs) struct BackendContractTests {
  @Test(arguments: BackendContract.plain)
  func `the embedded provider keeps the contract`(_ check: BackendContract.Check) async throws {
    let scene = Scene()
    try await check.run { scene.backend }
  }

  @Test(arguments: BackendContract.equipped, [false, true])
  func `the embedded provider keeps the contract of what leaves it`(
    _ check: BackendContract.EquippedCheck, protectsAddresses: Bool
  ) async throws {
    let equipped = try await EquippedScene { $0.enumerationProtection = protectsAddresses }
    try await check.run(equipped.backend, with: equipped.equipment)
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

  @Test(arguments: BackendContract.plain)
  func `it keeps it with enumeration protection and rotation, too`(_ check: BackendContract.Check) async throws {
    let scene = Scene {
      $0.enumerationProtection = true
      $0.rotatesRefreshTokens = true
    }
    try await check.run { scene.backend }
  }
}

extension BackendContract {
  /// The checks that need a backend, and nothing else.
  static let plain = all + signing + sessions
  /// The checks that need messages, codes or tenants as well.
  static let equipped = messages + secondFactors + phones + tenants + identities + customTokens
}
