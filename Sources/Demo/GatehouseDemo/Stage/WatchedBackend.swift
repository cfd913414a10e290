import GatehouseBase
import GatehouseQueues
import IdentityToolkit

/// A backend that counts its calls and can hold back their answers.
final class WatchedBackend: Backend {
  private struct Traffic: Sendable {
    var calls = 0
    var underWay = 0
    var mostUnderWay = 0
    var isHeld = false
    var held: [CheckedContinuation<Void, Never>] = []
    var watchers: [CheckedContinuation<Void, Never>] = []
  }

  private let backend: any Backend
  /// The calls of each endpoint, by its name.
  private let traffic = Lock<[String: Traffic]>([:])

  init(_ backend: any Backend) { self.backend = backend }

  var rotatesRefreshTokens: Bool { backend.rotatesRefreshTokens }

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    change(C.self) { traffic in
      traffic.calls += 1
      traffic.underWay += 1
      traffic.mostUnderWay = max(traffic.mostUnderWay, traffic.underWay)
    }
    defer { change(C.self) { $0.underWay -= 1 } }
    let answer = try await backend.answer(call)
    await waitWhileHeld(C.self)
    return answer
  }

  /// The number of calls so far.
  func calls<C: Call>(of call: C.Type) -> Int { change(C.self) { $0.calls } }

  /// The maximum number of calls that were in flight at the same time.
  func mostUnderWay<C: Call>(of call: C.Type) -> Int { change(C.self) { $0.mostUnderWay } }

  /// Holds back the answers from now on, whether or not their calls are cancelled.
  func hold<C: Call>(_ call: C.Type) { change(C.self) { $0.isHeld = true } }

  /// Releases the answers that are held back.
  func release<C: Call>(_ call: C.Type) {
    let held = change(C.self) { traffic in
      defer { (traffic.held, traffic.isHeld) = ([], false) }
      return traffic.held
    }
    for answer in held { answer.resume() }
  }

  /// Waits until an answer is held back.
  func waitUntilHeld<C: Call>(_ call: C.Type) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isThere = change(C.self) { traffic in
        if traffic.held.isEmpty { traffic.watchers.append(continuation) }
        return !traffic.held.isEmpty
      }
      if isThere { continuation.resume() }
    }
  }

  private func waitWhileHeld<C: Call>(_ call: C.Type) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let ready = change(C.self) { traffic in
        guard traffic.isHeld else { return [continuation] }
        traffic.held.append(continuation)
        defer { traffic.watchers = [] }
        return traffic.watchers
      }
      for waiter in ready { waiter.resume() }
    }
  }

  @discardableResult
  private func change<C: Call, Result: Sendable>(_ call: C.Type, _ body: (inout Traffic) -> Result) -> Result {
    traffic.withLock { body(&$0[C.endpoint, default: Traffic()]) }
  }
}
