import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting

/// A user signs out while his token is being refreshed: nothing of the refresh is left, whenever it ends.
enum SignOutAgainstRefresh {
  static func run(_ context: ScheduleContext) async throws {
    let (scene, user) = try await Scene.ofAda(context)
    let isSignedOut = Lock(false)
    let refresh = beside { () throws(AuthError) in
      let wasSignedOut = isSignedOut.withLock { $0 }
      let token = try await typed { try await user.getIDToken(forcingRefresh: true) }
      context.check(!wasSignedOut, "a session that had ended got a token")
      return token
    }
    let signOut = beside { () throws(AuthError) in
      try typed { try scene.auth.signOut() }
      let isAnswered = scene.provider.refreshesEnded > 0
      isSignedOut.withLock { $0 = true }
      context.check(scene.auth.currentUser == nil, "somebody is signed in after signOut() has returned")
      context.check(user.refreshToken == nil, "a session that has ended lends its refresh token")
      return isAnswered
    }
    let isAnswered = try await signOut.value.get()
    switch await refresh.value {
    case .success: context.check(isAnswered, "an answer that came after the sign-out was taken")
    case .failure(let error):
      context.check(error.code == .nullUser, "the refresh ended with \(error), not because of the sign-out")
    }
    await context.settle()
    context.check(scene.auth.state == .signedOut(nil), "after a sign-out the state is \(scene.auth.state)")
    try await scene.checkStore()
  }
}
