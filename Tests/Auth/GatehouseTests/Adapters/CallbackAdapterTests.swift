import Dispatch
import Foundation
import Gatehouse
import GatehouseQueues
import GatehouseTesting
import IdentityToolkit
import TestSupport
import Testing

struct CallbackAdapterTests {
  @Test func `a callback-style backend and store serve an Auth, from any thread and more than once`() async throws {
    let auth = Auth(
      Auth.Configuration(backend: TwiceBackend().adapted, store: ThreadStore().adapted, clocks: ManualClocks()))
    let user = try await auth.createUser(withEmail: Scene.email, password: Scene.password).user
    #expect(try await user.getIDToken(forcingRefresh: true).isEmpty == false)
    try auth.signOut()
    try await auth.flush()
  }

  @Test func `a backend that never calls back meets the deadline`() async throws {
    let clocks = ManualClocks()
    let auth = Auth(Auth.Configuration(backend: SilentBackend().adapted, clocks: clocks))
    let signIn = Delivery {
      auth.signIn(withEmail: Scene.email, password: Scene.password, timeout: .seconds(5), completion: $0)
    }
    await clocks.waitForSleeper(of: 5)
    clocks.advance(by: 5)
    let error = await #expect(throws: AuthError.self) { try await signIn.value }
    #expect(error?.code == .deadlineExceeded)
  }
}

/// Answers on a thread of its own, and then again.
private struct TwiceBackend: CallbackBackend {
  let scripted = ScriptedBackend()

  func answer<C: Call>(_ call: C, completion: @escaping @Sendable (Result<C.Response, AuthError>) -> Void) {
    Task {
      let result = await outcome { () throws(AuthError) in try await scripted.answer(call) }
      Thread.detachNewThread {
        completion(result)
        completion(.failure(AuthError(.internalError, "a second answer")))
      }
    }
  }
}

private struct SilentBackend: CallbackBackend {
  func answer<C: Call>(_ call: C, completion: @escaping @Sendable (Result<C.Response, AuthError>) -> Void) {}
}

private struct ThreadStore: CallbackCredentialStore {
  let memory = MemoryCredentialStore()

  func load(completion: @escaping @Sendable (Result<StoredSession?, AuthError>) -> Void) {
    Task { completion(await outcome { () throws(AuthError) in try await memory.load() }) }
  }

  func write(
    _ session: StoredSession?, if condition: StoreCondition,
    completion: @escaping @Sendable (Result<StoreOutcome, AuthError>) -> Void
  ) {
    Task { completion(await outcome { () throws(AuthError) in try await memory.write(session, if: condition) }) }
  }
}
