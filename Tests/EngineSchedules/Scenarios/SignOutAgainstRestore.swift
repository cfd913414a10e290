import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting

/// A program signs out while its stored session is being read, which may fail: the session does not come back, and is
/// erased.
enum SignOutAgainstRestore {
  static func run(_ context: ScheduleContext) async throws {
    let (first, _) = try await Scene.ofAda(context)
    try await first.auth.close()
    let scene = Scene(context, sharing: first)
    scene.store.failToReadSometimes(most: 1)
    let signOut = beside { () throws(AuthError) in
      for _ in 0..<(await context.bits(3)) { await context.yield() }
      do throws(AuthError) { try typed { try scene.auth.signOut() } } catch {
        // The read has failed already. The session may be whole, so it stays.
        guard error.code == .storeUnreadable else { throw error }
        try await typed { try await scene.auth.ready() }
        try typed { try scene.auth.signOut() }
      }
      context.check(scene.auth.currentUser == nil, "a user is signed in after signOut() has returned")
    }
    try await signOut.value.get()
    await context.settle()
    context.check(scene.auth.state == .signedOut(nil), "after a sign-out the state is \(scene.auth.state)")
    try await scene.checkStore()
  }
}
