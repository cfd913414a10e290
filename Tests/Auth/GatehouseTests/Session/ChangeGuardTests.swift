import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import IdentityToolkit
import TestSupport
import Testing

/// Guards around changes of the account that no other test noticed when they were taken out.
///
/// A reload takes its turn behind the change, so that when it returns the change has ended.
struct ChangeGuardTests {
  private func name(_ name: String, of user: User, timeout: Duration? = nil) async throws(AuthError) {
    let request = user.createProfileChangeRequest()
    request.displayName = name
    try await typed { try await request.commitChanges(timeout: timeout) }
  }

  private func expectCancellation(_ task: Task<Void, any Error>) async {
    task.cancel()
    let error = await #expect(throws: AuthError.self) { try await task.value }
    #expect(error?.code == .cancelled)
  }

  @Test func `a change whose caller goes while it waits for a token is not sent`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.makeTokenDue()
    scene.backend.hold(.refresh)
    let change = Task { try await name("Ada", of: user) }
    await scene.backend.waitForCall(.refresh)
    await expectCancellation(change)
    scene.backend.release(.refresh)
    try await user.reload()
    #expect(scene.backend.count(of: .update) == 0 && user.displayName == nil)
  }

  @Test func `a change whose caller goes while it waits for its turn among the refreshes is not sent`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.store.hold(.load)
    let change = Task { try await user.updatePassword(to: "battery staple") }
    await scene.store.waitUntilHeld(.load)
    await expectCancellation(change)
    scene.store.release(.load)
    try await user.reload()
    #expect(scene.backend.count(of: .update) == 0)
  }

  @Test func `a change whose caller goes before it is made once more is not sent again`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.fail(.update, AuthError(server: "TOKEN_EXPIRED"))
    scene.backend.hold(.refresh)
    let change = Task { try await name("Ada", of: user) }
    await scene.backend.waitForCall(.refresh)
    await expectCancellation(change)
    scene.backend.release(.refresh)
    try await user.reload()
    #expect(scene.backend.count(of: .update) == 1 && user.displayName == nil)
  }

  @Test func `a change that was sent is applied though its caller's timeout has passed`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.hold(.update)
    let change = Task { try await name("Ada", of: user, timeout: .seconds(1)) }
    await scene.backend.waitForCall(.update)
    await scene.clocks.waitForSleeper(of: 1)
    scene.clocks.advance(by: 1)
    let error = await #expect(throws: AuthError.self) { try await change.value }
    #expect(error?.code == .deadlineExceeded)
    scene.backend.release(.update)
    #expect(await comes { user.displayName == "Ada" })
  }

  @Test func `a token that was refused while a newer one came is not refreshed again`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.hold(.lookup)
    let reload = Delivery { user.reload(completion: $0) }
    await scene.backend.waitForCall(.lookup, count: 2)
    _ = try await user.getIDToken(forcingRefresh: true)
    scene.backend.fail(.lookup, AuthError(server: "TOKEN_EXPIRED"))
    scene.backend.release(.lookup)
    try await reload.value
    #expect(scene.backend.count(of: .refresh) == 1 && scene.backend.count(of: .lookup) == 3)
  }

  @Test func `a reload that brings nothing new stores nothing`() async throws {
    let (scene, user) = try await Scene.signedIn()
    try await scene.auth.flush()
    let calls = scene.store.calls
    try await user.reload()
    try await scene.auth.flush()
    #expect(scene.store.calls == calls)
  }

  @Test func `a change that a backend makes while it answers one is refused, and not sent later`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let codes = Lock<[AuthError.Code]>([])
    scene.backend.onCall { kind in
      guard kind == .lookup, codes.withLock({ $0.isEmpty }) else { return }
      let result = await outcome { () throws(AuthError) in
        try await typed { try await user.updatePassword(to: "battery staple") }
      }
      if case .failure(let error) = result { codes.withLock { $0.append(error.code) } }
    }
    try await user.reload()
    try await user.reload()
    #expect(codes.withLock { $0 } == [.wouldDeadlock])
    #expect(scene.backend.count(of: .update) == 0)
  }
}
