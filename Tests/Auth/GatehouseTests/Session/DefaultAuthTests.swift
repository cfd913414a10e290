import Dispatch
import Foundation
import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import Glibc
import HangGuard
import IdentityToolkit
import TestSupport
import Testing

struct DefaultAuthTests {
  @Test func `the default Auth is configured once`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let early = Auth.auth()
      let auth = try Auth.configure(Auth.Configuration(backend: ScriptedBackend(), timeouts: .patient))
      #expect(Auth.auth() == auth && auth != early)
      let twice = #expect(throws: AuthError.self) {
        try Auth.configure(Auth.Configuration(backend: ScriptedBackend(), timeouts: .patient))
      }
      #expect(twice?.code == .alreadyConfigured)
      #expect(Auth.auth() == auth)
      _ = try await auth.signInAnonymously()
      #expect(early.currentUser == nil)
    }
  }

  /// The backend is asked while the `Auth` is made: no lock may be held then.
  @Test func `a backend may ask for the default Auth while that is made`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let auth = try Auth.configure(Auth.Configuration(backend: Curious(), timeouts: .patient))
      #expect(Auth.auth() == auth)
    }
  }

  /// The second call comes while the first one asks its backend, and has ended when the backend answers.
  @Test func `a caller that is told of another configuration finds the configured Auth`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let others = Lock<[Bool]>([])
      let first = Result {
        try Auth.configure(
          Auth.Configuration(
            backend: Interrupted {
              let isOver = DispatchSemaphore(value: 0)
              Thread.detachNewThread {
                others.withLock { $0.append(Self.isConfigured(by: ScriptedBackend())) }
                isOver.signal()
              }
              isOver.wait()
            }, timeouts: .patient))
      }
      if case .failure(let error) = first { precondition((error as? AuthError)?.code == .alreadyConfigured) }
      #expect(others.withLock { $0 } == [true] && Self.hasConfiguration)
    }
  }

  /// Whether there is a configured default `Auth` once `configure` has returned or thrown.
  private static func isConfigured(by backend: any Backend) -> Bool {
    do {
      let auth = try Auth.configure(Auth.Configuration(backend: backend, timeouts: .patient))
      return Auth.auth() == auth
    } catch {
      return (error as? AuthError)?.code == .alreadyConfigured && hasConfiguration
    }
  }

  private static var hasConfiguration: Bool {
    guard case .signedOut(.some(let error)) = Auth.auth().state else { return true }
    return error.code != .notConfigured
  }

  @Test func `before it is configured each call of the default Auth is an error with advice`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let auth = Auth.auth()
      let calls: [(String, () async throws -> Void)] = [
        ("ready", { try await auth.ready() }),
        ("flush", { try await auth.flush() }),
        ("close", { try await auth.close() }),
        ("signOut", { try auth.signOut() }),
        ("updateCurrentUser", { try await auth.updateCurrentUser(nil) }),
        ("signInAnonymously", { _ = try await auth.signInAnonymously() }),
        ("signIn", { _ = try await auth.signIn(withEmail: "a@example.com", password: "p") }),
        (
          "createUser",
          { _ = try await auth.createUser(withEmail: "a@example.com", password: "p") }
        ),
      ]
      for _ in 1...2 {  // a close that was refused closes nothing
        for (name, call) in calls {
          let error = await #expect(throws: AuthError.self, "\(name)") { try await call() }
          #expect(error?.code == .notConfigured, "\(name)")
          #expect(error?.message.contains("Auth.configure(_:)") == true, "\(name)")
        }
      }
      guard case .signedOut = auth.state else { fatalError("a close that was refused has closed it") }
      let completed = await withCheckedContinuation { done in
        auth.signInAnonymously { @Sendable in done.resume(returning: $0) }
      }
      guard case .failure(let error) = completed else { fatalError("a call succeeded") }
      #expect(error.code == .notConfigured)
    }
  }

  @Test func `before it is configured the default Auth has no user, and its listeners hear so once`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let auth = Auth.auth()
      #expect(auth.currentUser == nil)
      guard case .signedOut(let reason?) = auth.state else { fatalError("not signed out") }
      #expect(reason.code == .notConfigured)
      let (heard, hear) = AsyncStream.makeStream(of: String.self)
      auth.addStateDidChangeListener { @Sendable _, user in hear.yield(user?.uid ?? "-") }
      var users = heard.makeAsyncIterator()
      #expect(await users.next() == "-")
      var stream = auth.authStateChanges.makeAsyncIterator()
      #expect(await stream.next() == .some(nil))
      // Another configured Auth changes nothing there.
      let other = Auth(Auth.Configuration(backend: ScriptedBackend(), timeouts: .patient))
      _ = try await other.signInAnonymously()
      hear.finish()
      #expect(await users.next() == nil)
    }
  }

  @Test func `several Auths live side by side`() async throws {
    let (first, ada) = try await Scene.signedIn()
    let second = Scene(backend: first.backend)
    let bob = try await second.auth.createUser(withEmail: "bob@example.com", password: Scene.password).user
    #expect(first.auth.currentUser == ada && second.auth.currentUser == bob)
    try second.auth.signOut()
    #expect(first.auth.currentUser == ada && second.auth.currentUser == nil)
  }
}

private struct Curious: Backend {
  var rotatesRefreshTokens: Bool { Auth.auth().currentUser != nil }
  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response { throw .unsupported(C.self) }
}

/// Runs code while it is asked whether it rotates tokens, which happens while its `Auth` is made.
private struct Interrupted: Backend {
  let body: @Sendable () -> Void
  var rotatesRefreshTokens: Bool {
    body()
    return false
  }
  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response { throw .unsupported(C.self) }
}
