import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import HangGuard
import TestSupport
import Testing

/// Many `Auth`s, many threads, every kind of call at once: nothing hangs, and in the end all sources agree.
struct StressTests {
  @Test(.endsIfItHangs, arguments: [1, 2, 3] as [UInt64])
  func `after a storm of calls memory, store and listeners agree`(seed: UInt64) async throws {
    let backend = ScriptedBackend()
    // Deadlines that no machine is too slow for: they are not what is tried here.
    let scenes = (0..<6).map { _ in
      Scene(backend: backend) {
        $0.clocks = SystemClocks()
        $0.timeouts.call = .seconds(600)
        $0.timeouts.refresh = .seconds(600)
        $0.timeouts.store = .seconds(600)
      }
    }
    let heard = scenes.map { scene in
      let last = Lock<String??>(nil)
      scene.auth.addStateDidChangeListener { _, user in last.withLock { $0 = .some(user?.uid) } }
      return last
    }
    for (number, scene) in scenes.enumerated() {
      _ = try await scene.auth.createUser(withEmail: "user\(number)@example.com", password: Scene.password)
    }
    let random = SeededRandomSource(seed: seed)
    await withTaskGroup(of: Void.self) { group in
      for (number, scene) in scenes.enumerated() {
        for _ in 0..<8 {
          group.addTask {
            for _ in 0..<25 { await Self.act(scene.auth, Int(random.next() % 10), email: "user\(number)@example.com") }
          }
        }
      }
    }
    for (scene, last) in zip(scenes, heard) {
      try await scene.auth.flush()
      _ = await Delivery { scene.auth.ready(completion: $0) }.result  // behind every event
      let current = scene.auth.currentUser
      #expect(last.withLock { $0 } == .some(current?.uid))
      #expect(try await scene.store.load()?.profile.uid == current?.uid)
      guard let current else { continue }
      do throws(AuthError) {
        #expect(try await typed { try await current.getIDToken(forcingRefresh: true).isEmpty } == false)
      } catch {
        // A password change of the session before may have revoked what the latest sign-in got.
        #expect(error.code == .userTokenExpired)
        #expect(scene.auth.currentUser == nil)
        try await scene.auth.flush()
        #expect(try await scene.store.load() == nil)
      }
    }
  }

  private static func act(_ auth: Auth, _ choice: Int, email: String) async {
    let user = auth.currentUser
    switch choice {
    case 0: try? auth.signOut()
    case 1, 2: _ = try? await auth.signIn(withEmail: email, password: Scene.password)
    case 3: _ = try? await user?.getIDToken(forcingRefresh: true)
    case 4:
      let request = user?.createProfileChangeRequest()
      request?.displayName = "Ada"
      try? await request?.commitChanges()
    case 5: try? await user?.updatePassword(to: Scene.password)
    case 6:
      let task = Task { try? await auth.signIn(withEmail: email, password: Scene.password) }
      task.cancel()
      _ = await task.value
    case 7: user?.reload { _ in }
    case 8: auth.removeStateDidChangeListener(auth.addStateDidChangeListener { _, _ in })
    default: _ = try? await user?.getIDToken()
    }
  }
}
