import Dispatch
import Foundation
import Gatehouse
import GatehouseTesting
import HangGuard
import Testing

/// A cancellation handler runs while its thread holds the lock of the task's status. It may make synchronous calls.
struct CancellationHandlerTests {
  @Test func `a handler that makes synchronous calls hangs nothing`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let (scene, ada) = try await Scene.signedIn()
      for _ in 0..<20 {
        scene.backend.hold(.refresh)
        let call = Task {
          await withTaskCancellationHandler {
            _ = try? await ada.getIDToken(forcingRefresh: true)
          } onCancel: {
            // The SDK's own handler has run: the call ends meanwhile, and its caller is resumed.
            for _ in 0..<2_000 { _ = scene.auth.currentUser }
          }
        }
        await scene.backend.waitForCall(.refresh)
        call.cancel()
        await call.value
        scene.backend.release(.refresh)
      }
      try scene.auth.signOut()
    }
  }

  @Test func `a handler that signs out ends the call, and hangs nothing`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      for _ in 0..<20 {
        let (scene, ada) = try await Scene.signedIn()
        scene.backend.hold(.lookup)
        let call = Task {
          await withTaskCancellationHandler {
            _ = try? await ada.reload()
          } onCancel: {
            try? scene.auth.signOut()
            for _ in 0..<2_000 { _ = ada.displayName }
          }
        }
        await scene.backend.waitForCall(.lookup, count: 2)
        call.cancel()
        await call.value
        #expect(scene.auth.currentUser == nil)
        scene.backend.release(.lookup)
      }
    }
  }

  @Test(arguments: [1, 20]) func `a handler that waits delays its own caller, and no other call`(count: Int) async {
    await #expect(processExitsWith: .success) { [count] in
      endIfItHangs()
      let (scene, ada) = try await Scene.signedIn()
      // Dispatch's own, unseen by the wait monitor: they only say when to go on.
      let isWaiting = DispatchSemaphore(value: 0), goesOn = DispatchSemaphore(value: 0)
      scene.backend.hold(.refresh)
      let calls = (0..<count).map { _ in
        Task.immediate {
          await withTaskCancellationHandler {
            _ = try? await ada.getIDToken(forcingRefresh: true)
          } onCancel: {
            isWaiting.signal()
            goesOn.wait()
          }
        }
      }
      await scene.backend.waitForCall(.refresh)
      for call in calls { Thread.detachNewThread { call.cancel() } }
      for _ in calls { isWaiting.wait() }
      // The SDK's own handlers have run: the calls end now, and each resumption waits for the handler above.
      for _ in 0..<100 {
        #expect(scene.auth.currentUser == ada)
        _ = try await ada.getIDToken()
      }
      try scene.auth.signOut()
      for _ in calls { goesOn.signal() }
      for call in calls { await call.value }
      scene.backend.release(.refresh)
    }
  }
}
