import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting

/// Many want a fresh token at once. One refresh is under way at most, and a caller that forces one gets a token that
/// was asked for after its call. Callers that come while it is under way share the next one.
enum Refresh {
  static func run(_ context: ScheduleContext) async throws {
    let (scene, user) = try await Scene.ofAda(context)
    let first = try await user.getIDToken()

    func forced() -> Task<Result<String, AuthError>, Never> {
      beside { () throws(AuthError) in
        let sent = scene.provider.refreshes
        let token = try await typed { try await user.getIDToken(forcingRefresh: true) }
        context.check(
          scene.provider.refresh(of: token) > sent, "a forced refresh was served by a request that was sent before it")
        return token
      }
    }
    scene.provider.accounts.hold(.refresh)
    let sent = forced()
    await scene.provider.accounts.waitForCall(.refresh)
    let waiters = [forced(), forced(), forced()]
    let unforced = beside { () throws(AuthError) in try await typed { try await user.getIDToken() } }
    await context.settle()
    scene.provider.accounts.release(.refresh)
    _ = try await sent.value.get()
    for waiter in waiters { _ = try await waiter.value.get() }
    let plain = try await unforced.value.get()
    context.check(plain == first, "a fresh token was replaced for somebody who did not ask for that")
    let count = scene.provider.refreshes
    context.check(count == 2, "four who forced a refresh, one of them earlier, took \(count) requests")
    await context.settle()
    try await scene.checkStore()
  }
}

/// A change of the password, which revokes the session's refresh token, while tokens are refreshed.
enum PasswordAgainstRefresh {
  static func run(_ context: ScheduleContext) async throws {
    let (scene, user) = try await Scene.ofAda(context)
    let change = beside { () throws(AuthError) in try await typed { try await user.updatePassword(to: "another horse") }
    }
    let refresh = beside { () throws(AuthError) in try await typed { try await user.getIDToken(forcingRefresh: true) } }
    try await change.value.get()
    _ = try await refresh.value.get()
    await context.settle()
    context.check(scene.auth.currentUser == user, "a change of the password ended the session: \(scene.auth.state)")
    _ = try await user.getIDToken(forcingRefresh: true)
    try await scene.checkStore()
  }
}
