import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting

/// Two `Auth`s on one store, as two processes have it: one changes the password while the other refreshes and reloads.
/// Both end signed in, with the tokens that the store holds and the provider takes.
enum TwoAuths {
  static func run(_ context: ScheduleContext) async throws {
    let ((one, ada), (other, adaThere)) = try await Scene.twoOfAda(context)

    let change = beside { () throws(AuthError) in try await typed { try await ada.updatePassword(to: "another horse") }
    }
    let refresh = beside { () throws(AuthError) in
      try await typed { try await adaThere.getIDToken(forcingRefresh: true) }
    }
    let rename = beside { () throws(AuthError) in
      let request = adaThere.createProfileChangeRequest()
      request.displayName = "Ada"
      try await typed { try await request.commitChanges() }
    }
    try await change.value.get()
    _ = try await refresh.value.get()
    try await rename.value.get()
    await context.settle()
    for (scene, user) in [(one, ada), (other, adaThere)] {
      context.check(scene.auth.currentUser == user, "a change of the password ended a session: \(scene.auth.state)")
      _ = try await user.getIDToken(forcingRefresh: true)
      try await scene.auth.flush()
    }
    await context.settle()
    let stored = one.store.content
    context.check(stored?.tokens.refreshToken.revealed == ada.refreshToken, "the store has other tokens than the one")
    context.check(ada.refreshToken == adaThere.refreshToken, "the two have different refresh tokens")
    context.check(adaThere.displayName == "Ada" && stored?.profile.displayName == "Ada", "the new name is lost")
  }
}
