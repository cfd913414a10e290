import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting

/// A close while a sign-in is being stored, by a store that may be slower than the close waits. Either the sign-in was
/// told of success and its session is stored, or the session before is, as if the sign-in had never come.
enum CloseWhileSigningIn {
  static func run(_ context: ScheduleContext) async throws {
    let (scene, ada) = try await Scene.ofAda(context)
    let signIn = beside { () throws(AuthError) in try await scene.signIn(Scene.bob) }
    let close = beside { () throws(AuthError) in
      scene.store.isSlow = await context.coin()
      await scene.store.waitForSignIn()
      try await typed { try await scene.auth.close(timeout: .milliseconds(500)) }
    }
    let closed = await close.value
    let result = await signIn.value
    context.check(scene.auth.state == .closed, "after a close the state is \(scene.auth.state)")
    scene.store.isSlow = false
    await context.settle()
    _ = await beside { () throws(AuthError) in try await typed { try await scene.auth.flush() } }.value
    switch result {
    case .success(let bob):
      context.check(scene.store.content?.profile.uid == bob.uid, "Bob signed in, and is not stored")
    case .failure(let error):
      context.check(error.code == .closed, "the sign-in that a close ended failed with \(error)")
      let stored = scene.store.content
      context.check(
        stored?.profile.uid == ada.uid, "a close left \(stored?.profile.email ?? "nothing") in the store, not Ada")
    }
    if case .failure(let error) = closed {
      context.check(error.code == .deadlineExceeded, "the close failed with \(error)")
    }
  }
}
