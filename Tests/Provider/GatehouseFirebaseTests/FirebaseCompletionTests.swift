import Dispatch
import Foundation
import GatehouseFirebase
import GatehouseQueues
import GatehouseTesting
import HangGuard
import TestSupport
import Testing

/// Completions with a value and an error come where those with a `Result` come.
@Suite(.endsIfItHangs)
struct FirebaseCompletionTests {
  @Test func `a completion comes where its closure belongs, once, and is released there`() async throws {
    let (_, user, queue) = try await signedIn()
    let log = CallLog()
    // No isolation: on the callback queue, and nowhere else.
    await withCheckedContinuation { done in
      // Suspended until the call has returned: until then the caller may have the last reference to the closure.
      queue.suspend()
      defer { queue.resume() }
      user.getIDToken { [probe = Probe { log.add("released", onQueue: isOnCallbacks()) }] token, error in
        log.add(token == nil || error != nil ? "wrong" : "called", onQueue: isOnCallbacks())
        withExtendedLifetime(probe) {}
        done.resume()
      }
    }
    await log.wait(for: 2)
    #expect(log.entries == ["called on the queue", "released on the queue"])
    // The main actor, and an actor of the app's.
    let model = await MainActor.run { Model() }
    await model.ask(user)
    await model.wait(for: 1_000)
    #expect(await model.numbers == Array(0..<1_000))
    let counter = Counter()
    await counter.ask(user)
    await counter.wait(for: 1_000)
    #expect(await counter.numbers == Array(0..<1_000))
  }

  @Test func `completions come in the order in which their calls end, and begin in call order`() async throws {
    let (_, user, _) = try await signedIn()
    let numbers = Lock<[Int]>([])
    await withCheckedContinuation { done in
      for number in 0..<2_000 {
        user.getIDToken { _, _ in
          numbers.withLock { $0.append(number) }
          if number == 1_999 { done.resume() }
        }
      }
    }
    #expect(numbers.withLock { $0 } == Array(0..<2_000))
    // A sign-out that comes after a sign-in supersedes it, every time.
    let backend = ScriptedBackend()
    let auth = Auth(Auth.Configuration(backend: backend, timeouts: .patient))
    try await auth.createUser(withEmail: email, password: password)
    for _ in 0..<100 {
      let error = await error { auth.signIn(withEmail: email, password: password, completion: $0) }
      #expect(error == nil)
      backend.hold(.signIn)
      let superseded = await withCheckedContinuation { done in
        auth.signIn(withEmail: email, password: password) { _, error in done.resume(returning: error as? AuthError) }
        try? auth.signOut()
        backend.release(.signIn)
      }
      #expect(superseded?.code == .superseded)
      #expect(auth.currentUser == nil)
    }
  }

  @Test func `of a value and an error exactly one is nil, and the error is an NSError with Firebase's number`()
    async throws
  {
    let (auth, user, _) = try await signedIn()
    let refused: (AuthDataResult?, (any Error)?) = await withCheckedContinuation { done in
      auth.signIn(withEmail: email, password: "wrong horse") { done.resume(returning: ($0, $1)) }
    }
    #expect(refused.0 == nil && (refused.1 as NSError?)?.code == AuthErrorCode.wrongPassword.rawValue)
    #expect((refused.1 as NSError?)?.domain == AuthErrorDomain)
    let ended: (any Error)? = await withCheckedContinuation { done in
      user.delete { error in done.resume(returning: error) }
    }
    #expect(ended == nil)
    let again: (any Error)? = await withCheckedContinuation { done in
      user.delete { error in done.resume(returning: error) }
    }
    #expect((again as NSError?)?.code == AuthErrorCode.nullUser.rawValue)
  }

  @Test func `a call without a completion needs no callback queue`() async throws {
    let queue = DispatchQueue(label: "test.suspended")
    let backend = ScriptedBackend()
    let auth = Auth(Auth.Configuration(backend: backend, callbackQueue: queue, timeouts: .patient))
    queue.suspend()
    defer { queue.resume() }
    begin(auth)
    while auth.currentUser == nil { await Task.yield() }
    // A main-actor completion comes while the callback queue is suspended: it makes no detour over that.
    let uid = await tokenOnMain(of: try #require(auth.currentUser))
    #expect(uid != nil)
  }

  private func begin(_ auth: Auth) { auth.createUser(withEmail: email, password: password) }

  @MainActor
  private func tokenOnMain(of user: User) async -> String? {
    await withCheckedContinuation { done in user.getIDToken { token, _ in done.resume(returning: token) } }
  }

  private func error(_ call: (@escaping FirebaseCompletion<AuthDataResult>) -> Void) async -> (any Error)? {
    await withCheckedContinuation { done in call { _, error in done.resume(returning: error) } }
  }
}

private let email = "ada@example.com"
private let password = "correct horse"
private let key = DispatchSpecificKey<Bool>()

private func isOnCallbacks() -> Bool { DispatchQueue.getSpecific(key: key) == true }

private func signedIn() async throws -> (Auth, User, DispatchQueue) {
  let queue = DispatchQueue(label: "test.callbacks")
  queue.setSpecific(key: key, value: true)
  let auth = Auth(Auth.Configuration(backend: ScriptedBackend(), callbackQueue: queue, timeouts: .patient))
  return (auth, try await auth.createUser(withEmail: email, password: password).user, queue)
}

private final class Probe: Sendable {
  private let onEnd: @Sendable () -> Void
  init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
  deinit { onEnd() }
}

private final class CallLog: Sendable {
  private let lines = Lock<[String]>([])
  var entries: [String] { lines.withLock { $0 } }

  func add(_ name: String, onQueue: Bool) {
    lines.withLock { $0.append("\(name) \(onQueue ? "on the queue" : "elsewhere")") }
  }

  func wait(for count: Int) async { while entries.count < count { await Task.yield() } }
}

/// A model of the main actor's, as an app has it.
@MainActor
private final class Model {
  private(set) var numbers: [Int] = []

  func ask(_ user: User) {
    for number in 0..<1_000 { user.getIDToken { _, _ in self.numbers.append(number) } }
  }

  func wait(for count: Int) async { while numbers.count < count { await Task.yield() } }
}

private actor Counter {
  private(set) var numbers: [Int] = []

  func ask(_ user: User) {
    for number in 0..<1_000 { user.getIDToken { _, _ in self.numbers.append(number) } }
  }

  func wait(for count: Int) async { while numbers.count < count { await Task.yield() } }
}
