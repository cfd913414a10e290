import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import HangGuard
import TestSupport
import Testing

/// A store or a backend that waits, inside a call to it, for what waits for that call is told so.
@Suite(.endsIfItHangs) struct OwnCallTests {
  /// A call that waits.
  enum Waiting: String, CaseIterable, Sendable {
    case ready, flush, close, signInAnonymously, signIn

    func call(_ auth: Auth) async throws(AuthError) {
      switch self {
      case .ready: try await typed { try await auth.ready() }
      case .flush: try await typed { try await auth.flush() }
      case .close: try await typed { try await auth.close() }
      case .signInAnonymously: _ = try await typed { try await auth.signInAnonymously() }
      case .signIn: _ = try await typed { try await auth.signIn(withEmail: Scene.email, password: Scene.password) }
      }
    }
  }

  /// What calls came to, and the `Auth` they are made on, which is made after the store and the backend.
  private final class Notes: Sendable {
    private let codes = Lock<[AuthError.Code?]>([])
    private let auth = Lock<Auth?>(nil)

    func use(_ auth: Auth) { self.auth.withLock { $0 = auth } }

    func make(_ waiting: Waiting) async {
      while auth.withLock({ $0 }) == nil { await Task.yield() }
      guard let auth = auth.withLock({ $0 }) else { return }
      let result = await outcome { () throws(AuthError) in try await waiting.call(auth) }
      codes.withLock { codes in
        switch result {
        case .success: codes.append(nil)
        case .failure(let error): codes.append(error.code)
        }
      }
    }

    /// The codes, when there are some.
    var seen: [AuthError.Code?] {
      get async {
        while codes.withLock({ $0.isEmpty }) { await Task.yield() }
        return codes.withLock { $0 }
      }
    }
  }

  @Test(arguments: Waiting.allCases)
  func `a call that waits for the store, made in the store's own call, would wait for itself`(
    _ waiting: Waiting
  ) async throws {
    let store = WatchfulStore(), notes = Notes()
    store.refuse { call in
      guard case .load = call else { return nil }
      store.refuse(nil)
      await notes.make(waiting)
      return nil
    }
    let scene = Scene { $0.store = store }
    notes.use(scene.auth)
    #expect(await notes.seen == [.wouldDeadlock])
    #expect(scene.backend.calls == [], "and no account is made that could not be stored")
  }

  @Test func `an anonymous sign-in in the call that it shares would wait for itself`() async throws {
    let scene = Scene(), notes = Notes()
    notes.use(scene.auth)
    scene.backend.onCall { kind in
      guard kind == .signUp else { return }
      scene.backend.onCall(nil)
      await notes.make(.signInAnonymously)
    }
    let sign = Delivery { scene.auth.signInAnonymously(completion: $0) }
    #expect(await notes.seen == [.wouldDeadlock])
    _ = try await sign.value
  }

  @Test func `a close in a backend's call that it waits for would wait for itself`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let notes = Notes()
    notes.use(scene.auth)
    scene.backend.onCall { kind in
      guard kind == .refresh else { return }
      scene.backend.onCall(nil)
      await notes.make(.close)
    }
    let token = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    #expect(await notes.seen == [.wouldDeadlock])
    _ = try await token.value
    try await scene.auth.close()
  }
}
