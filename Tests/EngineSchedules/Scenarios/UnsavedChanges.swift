import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting
import IdentityToolkit

/// Two `Auth`s on one store. The writes of the other one are slow: it has new tokens and two changes of the profile
/// that are not stored while the one changes the password. Both end signed in, with tokens that the provider takes, and
/// no change of the profile is lost.
enum UnsavedChanges {
  static func run(_ context: ScheduleContext) async throws {
    let ((one, ada), (other, adaThere)) = try await Scene.twoOfAda(context)

    other.store.hold(.writes)
    // In half of the schedules the answer to the refresh is older than the new tokens, and comes later.
    other.provider.answersRefreshesLate = await context.coin()
    let changes = beside { () throws(AuthError) in
      _ = try await typed { try await adaThere.getIDToken(forcingRefresh: true) }
      let request = adaThere.createProfileChangeRequest()
      request.displayName = "Ada"
      try await typed { try await request.commitChanges() }
      other.provider.accounts.change(adaThere.uid) { $0.photoUrl = "picture" }
      try await typed { try await adaThere.reload() }
    }
    let password = beside { () throws(AuthError) in
      try await typed { try await ada.updatePassword(to: "another horse") }
    }
    let letsGo = beside { () throws(AuthError) in
      await context.yield()
      if await context.coin() { _ = await changes.value }
      if await context.coin() { await one.provider.waitForPassword() }
      other.store.release()
    }
    let refresh = beside { () throws(AuthError) in
      _ = await letsGo.value
      _ = try await typed { try await adaThere.getIDToken(forcingRefresh: true) }
    }
    for change in [changes, password, letsGo, refresh] { try await change.value.get() }
    await context.settle()

    for (scene, user) in [(one, ada), (other, adaThere)] {
      try await scene.auth.flush()
      context.check(scene.auth.currentUser == user, "a change of the password ended a session: \(scene.auth.state)")
      _ = try await user.getIDToken(forcingRefresh: true)
      try await scene.auth.flush()
    }
    let stored = one.store.content
    context.check(stored?.tokens.refreshToken.revealed == ada.refreshToken, "the store has other tokens than the one")
    context.check(ada.refreshToken == adaThere.refreshToken, "the two have different refresh tokens")
    context.check(stored?.pendingRevocation == nil, "the mark of a change that has ended is still stored")
    for profile in [stored?.profile, adaThere.profile] {
      context.check(profile?.displayName == "Ada", "the new name is lost")
      context.check(profile?.photoURL == "picture", "the new picture is lost")
    }
  }
}
