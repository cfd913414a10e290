import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting

/// Bob signs in while Ada's token is being refreshed; his sign-in may be cancelled. Either he is signed in and
/// nothing of hers is left, or she is, as if he had never come.
enum UserSwitch {
  static func run(_ context: ScheduleContext) async throws {
    let (scene, ada) = try await Scene.ofAda(context)
    let refresh = beside { () throws(AuthError) in try await typed { try await ada.getIDToken(forcingRefresh: true) } }
    let signIn = beside { () throws(AuthError) in try await scene.signIn(Scene.bob) }
    let cancel = beside { () throws(AuthError) in
      for _ in 0..<8 { await context.yield() }
      signIn.cancel()
    }
    _ = await cancel.value
    let signedIn = await signIn.value
    let refreshed = await refresh.value
    await context.settle()
    switch signedIn {
    case .success(let bob):
      context.check(scene.auth.currentUser == bob, "Bob signed in, and the state is \(scene.auth.state)")
      let token = try await bob.getIDToken(forcingRefresh: true)
      context.check(scene.provider.owner(of: token) == bob.uid, "Bob's session has another user's token")
      let late = await beside { () throws(AuthError) in try await typed { try await ada.getIDToken() } }.value
      context.check((try? late.get()) == nil, "the user before still gets tokens")
    case .failure(let error):
      context.check(error.code == .cancelled, "the sign-in failed: \(error)")
      context.check(scene.auth.currentUser == ada, "a sign-in that was cancelled left \(scene.auth.state)")
      context.check((try? refreshed.get()) != nil, "a sign-in that was cancelled cost the refresh: \(refreshed)")
    }
    try await scene.checkStore()
  }
}
