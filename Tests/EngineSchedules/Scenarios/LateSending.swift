import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting
import IdentityToolkit

/// The store hangs before a refresh is sent, and its deadline passes: the refresh is not sent any more.
///
/// The refresh that comes next may be on its way by then, and no two are to be under way at once.
enum LateRefresh {
  static func run(_ context: ScheduleContext) async throws {
    let scene = Scene(context) { $0.timeouts.refresh = .seconds(5) }
    let user = try await scene.auth.createUser(withEmail: Scene.ada, password: Scene.password).user
    try await scene.auth.flush()
    scene.store.hold()
    let late = beside { () throws(AuthError) in try await typed { try await user.getIDToken(forcingRefresh: true) } }
    await context.sleep(for: .seconds(6))
    context.check(
      await late.value.failure?.code == .deadlineExceeded, "a refresh that waited for the store has met no deadline")
    await context.settle()
    context.check(scene.provider.refreshes == 0, "a refresh was sent after its deadline")
    scene.store.release()
    _ = try await user.getIDToken(forcingRefresh: true)
    await context.settle()
    context.check(scene.provider.refreshes == 1, "one refresh took \(scene.provider.refreshes) requests")
    try await scene.checkStore()
  }
}

/// The store hangs before a change of the account is sent, and the caller goes, or the change's deadline passes: the
/// change is not sent any more.
enum LateChange {
  static func run(_ context: ScheduleContext) async throws {
    try await run(context, isCancelled: true)
    try await run(context, isCancelled: false)
    try await meetsTimeoutOfStore(context)
  }

  /// The store answers in the very moment in which the change gives it up.
  private static func meetsTimeoutOfStore(_ context: ScheduleContext) async throws {
    let scene = Scene(context) { $0.timeouts.store = .seconds(1) }
    let user = try await scene.auth.createUser(withEmail: Scene.ada, password: Scene.password).user
    try await scene.auth.flush()
    scene.store.isSlow = true
    let change = beside { () throws(AuthError) in try await Change.password.send(user) }
    context.check(await change.value.failure?.code == .deadlineExceeded, "a change did not wait for its mark")
    scene.store.isSlow = false
    await context.sleep(for: .seconds(3))
    context.check(scene.provider.accounts.count(of: .update) == 0, "a change was sent without a mark")
    context.check(scene.store.content?.pendingRevocation == nil, "a change that was not sent left its mark")
    try await scene.checkStore()
  }

  private static func run(_ context: ScheduleContext, isCancelled: Bool) async throws {
    let scene = Scene(context) { $0.timeouts.call = .seconds(5) }
    let user = try await scene.auth.createUser(withEmail: Scene.ada, password: Scene.password).user
    try await scene.auth.flush()
    // In its turn among the refreshes the password waits for a look into the store, and then for its mark to be stored.
    // The name waits in that turn for a due token.
    for (kind, holding) in [(Change.password, WatchedStore.Holding.calls), (.password, .writes), (.name, .calls)] {
      if kind == .name { await context.sleep(for: .seconds(3_400)) }
      scene.store.hold(holding)
      let change = beside { () throws(AuthError) in try await kind.send(user) }
      await context.settle()
      if isCancelled { change.cancel() } else { await context.sleep(for: .seconds(6)) }
      let code = await change.value.failure?.code
      context.check(code == (isCancelled ? .cancelled : .deadlineExceeded), "the change ended with \(code as Any)")
      scene.store.release()
      await context.settle()
      context.check(
        scene.provider.accounts.count(of: .update) == 0, "a change was sent for which nothing waits any more")
      context.check(scene.store.content?.pendingRevocation == nil, "a change that was not sent left its mark")
    }
    context.check(scene.auth.currentUser == user, "a change that was not sent ended the session")
    try await scene.checkStore()
  }

  private enum Change: Sendable {
    case password, name

    func send(_ user: User) async throws(AuthError) {
      switch self {
      case .password: try await typed { try await user.updatePassword(to: "another horse") }
      case .name:
        let request = user.createProfileChangeRequest()
        request.displayName = "Ada"
        try await typed { try await request.commitChanges() }
      }
    }
  }
}

/// The answer to a look-up comes after the look-up's deadline, and after a later one has told more: it changes nothing.
enum LateAnswer {
  static func run(_ context: ScheduleContext) async throws {
    let scene = Scene(context) { $0.timeouts.call = .seconds(5) }
    let user = try await scene.auth.createUser(withEmail: Scene.ada, password: Scene.password).user
    scene.provider.accounts.change(user.uid) { $0.displayName = "early" }
    scene.provider.holdsLookupAnswer = true
    let first = beside { () throws(AuthError) in try await typed { try await user.reload() } }
    await context.sleep(for: .seconds(6))
    context.check(await first.value.failure?.code == .deadlineExceeded, "a look-up without an answer met no deadline")
    scene.provider.accounts.change(user.uid) { $0.displayName = "late" }
    try await user.reload()
    context.check(user.displayName == "late", "a look-up told \(user.displayName ?? "nothing")")
    scene.provider.releaseLookupAnswer()
    await context.settle()
    context.check(user.displayName == "late", "an answer that came too late was taken")
    try await scene.checkStore()
  }
}
