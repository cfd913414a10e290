import Dispatch
import Gatehouse
import GatehouseQueues
import GatehouseTesting
import TestSupport
import Testing

/// Rule 2: calls of one thread begin in the order in which they were made, synchronous ones among them.
struct CallOrderTests {
  @Test func `a sign-out comes behind the calls that were made before it, and a read need not`() async throws {
    let (scene, ada) = try await Scene.signedIn()
    scene.backend.hold(.signIn)
    // Dispatch's own, unseen by the wait monitor: they only say when to go on.
    let isHeld = DispatchSemaphore(value: 0), goesOn = DispatchSemaphore(value: 0)
    WorkQueue.async {
      isHeld.signal()
      goesOn.wait()
    }
    isHeld.wait()
    let calls = (0..<200).map { _ in
      Delivery { scene.auth.signIn(withEmail: Scene.email, password: Scene.password, completion: $0) }
    }
    goesOn.signal()
    #expect(scene.auth.currentUser == ada)
    try scene.auth.signOut()
    scene.backend.release(.signIn)
    for call in calls {
      let error = await #expect(throws: AuthError.self) { try await call.value }
      #expect(error?.code == .superseded)
    }
    #expect(scene.auth.currentUser == nil)
  }
}
