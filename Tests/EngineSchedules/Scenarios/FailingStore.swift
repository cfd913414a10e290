import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting

/// A store that fails now and then, under a sign-in that is cancelled and, in half of the schedules, under a sign-out.
///
/// A flush that succeeds is true: the store holds what is current. A failure is told by the flush behind it, and what
/// failed is tried again. A sign-in that is over is not the session of any `Auth`, whether it could be undone or not.
enum FailingStore {
  static func run(_ context: ScheduleContext) async throws {
    let (scene, ada) = try await Scene.ofAda(context)
    let signsOut = await context.coin()
    scene.store.failSometimes(most: 4)
    let signIn = beside { () throws(AuthError) in try await scene.signIn(Scene.bob) }
    let cancel = beside { () throws(AuthError) in
      await scene.store.waitForSignIn()
      signIn.cancel()
    }
    let ends = beside { () throws(AuthError) in
      if signsOut {
        if await context.coin() { await scene.store.waitForSignIn() }
        try typed { try scene.auth.signOut() }
        try await typed { try await scene.auth.flush() }
        return scene.auth.state == .signedOut(nil)
      }
      _ = await outcome { () throws(AuthError) in try await typed { try await ada.getIDToken(forcingRefresh: true) } }
      return false
    }
    if case .success(true) = await ends.value {
      context.check(
        scene.store.content?.profile.email != Scene.ada, "a sign-out was told to be durable, and Ada is still stored")
    }
    _ = await cancel.value
    let result = await signIn.value
    // Whatever the store still holds of Bob, it is not another process's.
    if !signsOut {
      _ = await outcome { () throws(AuthError) in try await typed { try await ada.getIDToken(forcingRefresh: true) } }
    }
    await context.settle()
    switch (result, signsOut) {
    case (.success(let bob), _):
      let isGone = scene.auth.state == .signedOut(nil)
      context.check(scene.auth.currentUser == bob || (signsOut && isGone), "Bob signed in: \(scene.auth.state)")
    case (.failure, true):
      context.check(scene.auth.state == .signedOut(nil), "after a sign-out the state is \(scene.auth.state)")
    case (.failure, false):
      context.check(scene.auth.currentUser == ada, "a sign-in that failed ended Ada's session: \(scene.auth.state)")
    }
    for _ in 0..<5 {
      _ = await beside { () throws(AuthError) in try await typed { try await scene.auth.flush() } }.value
    }
    try await scene.checkStore()
  }
}
