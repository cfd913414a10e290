import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import GatehouseTesting
import IdentityToolkit

/// An embedded provider that sends messages and texts, trusts an identity provider and has a tenant.
struct EquippedScene: Sendable {
  static let tenant = "north"

  let equipment: BackendContract.Equipment
  private let identities: IdentityScene

  var backend: LocalBackend { identities.scene.backend }

  init(_ adjust: (inout LocalOptions) -> Void = { _ in }) async throws {
    let (outbox, pager) = (Outbox(), Pager())
    let identities = try IdentityScene {
      $0.delivery = outbox
      $0.textDelivery = pager
      adjust(&$0)
    }
    self.identities = identities
    _ = try await identities.scene.backend.createTenant(Self.tenant)
    var equipment = BackendContract.Equipment()
    let read = Lock<[String: Int]>([:])
    equipment.code = { email in
      // Each code is asked for once, behind its call. Where addresses are protected no call waits for its message.
      let count = read.withLock { read in
        read[email, default: 0] += 1
        return read[email] ?? 0
      }
      while true {
        let messages = outbox.messages.filter { $0.recipient == email && $0.type != .revertSecondFactorAddition }
        if let last = messages.last, messages.count >= count { return last.code }
        try Task.checkCancellation()
        await Task.yield()
      }
    }
    equipment.textCode = { number in pager.texts.last { $0.phoneNumber == number }?.code ?? Secret("none") }
    equipment.identity = { try identities.credential($0) }
    equipment.customToken = { uid in Secret(try await identities.scene.backend.customToken(forUser: uid)) }
    equipment.tenant = Self.tenant
    equipment.now = { identities.scene.clock.now().wall }
    self.equipment = equipment
  }
}
