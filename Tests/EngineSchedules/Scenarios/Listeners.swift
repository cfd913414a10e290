import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting

/// Listeners come and go while users do. Each hears every change from its registration on, in order, none twice, and
/// none after it was removed on the callback queue.
enum Listeners {
  static func run(_ context: ScheduleContext) async throws {
    let (scene, ada) = try await Scene.ofAda(context)
    let all = Ear(scene), late = Ear(scene), tokens = Ear(scene), brief = Ear(scene)
    let first = scene.auth.addStateDidChangeListener(all.hear)
    scene.auth.addIDTokenDidChangeListener(tokens.hear)
    let removed = scene.auth.addStateDidChangeListener(brief.hear)

    let changes = beside { () throws(AuthError) in
      _ = try await typed { try await ada.getIDToken(forcingRefresh: true) }
      _ = try await scene.signIn(Scene.bob)
      try typed { try scene.auth.signOut() }
    }
    let comes = beside { () throws(AuthError) in scene.auth.addStateDidChangeListener(late.hear) }
    let goes = beside { () throws(AuthError) in
      await context.yield()
      scene.auth.removeStateDidChangeListener(removed)
      brief.mayHearOnce()
    }
    let stream = beside { () throws(AuthError) in
      var seen: [String?] = []
      for await user in scene.auth.authStateChanges { seen.append(user?.email) }
      return seen
    }
    try await changes.value.get()
    _ = await comes.value
    _ = await goes.value
    await context.settle()

    let story = [Scene.ada, Scene.bob, nil]
    context.check(all.heard == story, "a listener heard \(all.heard)")
    context.check(story.hasSuffix(late.heard) && !late.heard.isEmpty, "a late listener heard \(late.heard)")
    context.check(story.starts(with: brief.heard), "a listener that was removed heard \(brief.heard)")
    context.check(
      tokens.heard == [Scene.ada, Scene.ada, Scene.bob, nil], "a listener for tokens heard \(tokens.heard)")

    // On the callback queue itself the removal is sharp.
    all.removeOnNext(first)
    _ = try await scene.signIn(Scene.ada)
    try scene.auth.signOut()
    await context.settle()
    context.check(all.heard == story + [Scene.ada], "a listener that removed itself heard \(all.heard)")
    try await scene.auth.close()
    let seen = try await stream.value.get()
    context.check(seen.last == .some(nil), "a reader's last word is \(seen)")
    context.check(zip(seen, seen.dropFirst()).allSatisfy { $0 != $1 }, "a reader read something twice: \(seen)")
  }
}

/// What one listener hears, and that it is called by one at a time.
final class Ear: Sendable {
  private struct State: Sendable {
    var heard: [String?] = []
    var more: Int?
    var handle: AuthListenerHandle?
  }

  private let scene: Scene
  private let state = Lock(State())

  init(_ scene: Scene) { self.scene = scene }

  var heard: [String?] { state.withLock { $0.heard } }

  var hear: @Sendable (Auth, User?) -> Void {
    { auth, user in
      let email = user?.email  // a step of its own: not under the lock
      let (more, handle) = self.state.withLock { state in
        state.heard.append(email)
        defer { state.handle = nil }
        state.more = state.more.map { $0 - 1 }
        return (state.more ?? 0, state.handle)
      }
      self.scene.context.check(more >= 0, "a listener that was removed was called more than once more")
      if let handle { auth.removeStateDidChangeListener(handle) }
    }
  }

  /// It was removed, not on the callback queue: one call may be on its way.
  func mayHearOnce() { state.withLock { $0.more = 1 } }

  /// At its next call it removes itself.
  func removeOnNext(_ handle: AuthListenerHandle) { state.withLock { $0.handle = handle } }
}

extension Array where Element: Equatable {
  fileprivate func hasSuffix(_ other: [Element]) -> Bool { suffix(other.count).elementsEqual(other) }
}
