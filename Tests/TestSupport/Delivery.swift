package import GatehouseBase
import GatehouseQueues

/// What a completion brings, and how often it came.
///
/// A call in its completion form is on the work queue when it returns, so that a test knows what came before what.
package final class Delivery<Value: Sendable>: Sendable {
  private struct State {
    var results: [Result<Value, AuthError>] = []
    var waiters: [CheckedContinuation<Result<Value, AuthError>, Never>] = []
  }

  private let state = Lock(State())

  /// Makes a call with a completion of its own.
  package init(_ call: (@escaping @Sendable (Result<Value, AuthError>) -> Void) -> Void) {
    call { [weak self] result in self?.receive(result) }
  }

  private func receive(_ result: Result<Value, AuthError>) {
    let waiters = state.withLock { state in
      state.results.append(result)
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(returning: result) }
  }

  /// How often the completion was called.
  package var count: Int { state.withLock { $0.results.count } }

  /// The first result.
  package var result: Result<Value, AuthError> {
    get async {
      await withCheckedContinuation { continuation in
        let result = state.withLock { state in
          if state.results.isEmpty { state.waiters.append(continuation) }
          return state.results.first
        }
        if let result { continuation.resume(returning: result) }
      }
    }
  }

  /// The first result, or its error.
  package var value: Value {
    get async throws(AuthError) { try await typed { try await result.get() } }
  }

  /// The first result's error; `nil` if it was a success.
  package var error: AuthError? {
    get async {
      guard case .failure(let error) = await result else { return nil }
      return error
    }
  }
}
