import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting

/// A program switches to Ada while Bob's token is being refreshed, and may sign out. The store keeps the last token of
/// the user who was set aside, and a user who was signed out is kept nowhere.
enum SwitchAgainstRefresh {
  static func run(_ context: ScheduleContext) async throws {
    let scene = Scene(context, keepsUsers: true)
    try await scene.provider.makeAccount(Scene.bob)
    let ada = try await scene.auth.createUser(withEmail: Scene.ada, password: Scene.password).user
    let bob = try await scene.signIn(Scene.bob)
    let signsOut = await context.coin()
    let refresh = beside { () throws(AuthError) in try await typed { try await bob.getIDToken(forcingRefresh: true) } }
    let isLeaving = Lock(false), isOvertaken = Lock(false)
    let change = beside { () throws(AuthError) in
      // Nothing comes between this and the call's turn on the work queue.
      let comesFirst = !isLeaving.withLock { $0 }
      isOvertaken.withLock { $0 = signsOut && comesFirst }
      return try await typed { try await scene.auth.switchUser(toUID: ada.uid) }
    }
    let end = beside { () throws(AuthError) in
      for _ in 0..<8 { await context.yield() }
      guard signsOut else { return }
      isLeaving.withLock { $0 = true }
      try typed { try scene.auth.signOut() }
    }
    let switched = await change.value
    let refreshed = await refresh.value
    _ = await end.value
    await context.settle()
    try await scene.checkStore()

    if isOvertaken.withLock(\.self) {
      context.check(scene.auth.currentUser == nil, "after a sign-out a switch that came before it signed a user in")
    }

    let kept = scene.store.kept
    let all = [kept.current].compactMap(\.self) + kept.others
    context.check(Set(all.map(\.profile.uid)).count == all.count, "a user is kept twice")
    context.check(all.count == (signsOut ? 1 : 2), "\(all.count) users are kept")
    let token = try? refreshed.get()
    for stored in all where stored.profile.uid == bob.uid {
      if let token {
        context.check(stored.tokens.idToken == Secret(token), "the store has an older token of the user set aside")
      }
    }
    // A refresh that was sent is awaited before its user is set aside.
    if !signsOut, scene.provider.accounts.count(of: .refresh) > 0 {
      context.check(token != nil, "the switch cost the token of a refresh: \(refreshed)")
    }
    guard !signsOut else { return }
    context.check((try? switched.get())?.uid == ada.uid, "the switch failed: \(switched)")
    context.check(scene.auth.currentUser?.uid == ada.uid, "after the switch the state is \(scene.auth.state)")
  }
}
