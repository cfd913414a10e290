import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting
import IdentityToolkit

/// Two `Auth`s on one store, and both change the name. Both changes succeed, so the store and both `Auth`s have the
/// name that the provider has in the end.
enum TwoNames {
  static func run(_ context: ScheduleContext) async throws {
    let ((one, ada), (other, adaThere)) = try await Scene.twoOfAda(context)

    let first = rename(ada, "Ada")
    if await context.coin() { _ = await first.value }
    let refresh = beside { () throws(AuthError) in try await typed { try await ada.getIDToken(forcingRefresh: true) } }
    let second = rename(adaThere, "Ada L.")
    for change in [first, second] { try await change.value.get() }
    _ = try await refresh.value.get()
    await context.settle()

    let name = one.provider.accounts.account(ada.uid)?.displayName
    for _ in 0..<2 {
      for (scene, user) in [(one, ada), (other, adaThere)] {
        _ = try await user.getIDToken(forcingRefresh: true)
        try await scene.auth.flush()
      }
    }
    for profile in [one.store.content?.profile.displayName, ada.displayName, adaThere.displayName] {
      context.check(profile == name, "the provider has \(name ?? "no name"), and here it is \(profile ?? "none")")
    }
  }

  private static func rename(_ user: User, _ name: String) -> Task<Result<Void, AuthError>, Never> {
    beside { () throws(AuthError) in
      let request = user.createProfileChangeRequest()
      request.displayName = name
      try await typed { try await request.commitChanges() }
    }
  }
}
