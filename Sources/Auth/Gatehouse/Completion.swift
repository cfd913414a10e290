import Foundation
import GatehouseBase
import GatehouseCore
package import GatehouseQueues

// The completion forms of calls without a value, and a few properties, are `@_disfavoredOverload`: GatehouseFirebase
// adds Firebase's forms of the same names, and a closure such as `{ _ in }` fits both. Without that module the
// attribute has no effect.

extension CallbackQueue {
  /// Returns a completion that passes its result on to a closure of another shape.
  ///
  /// The closure is called exactly once and released, on its own actor or on this queue, in the order in which the
  /// calls end. The returned completion runs on the work queue and runs no code of the app, so the result makes no
  /// detour.
  ///
  /// - Parameters:
  ///   - closure: the app's closure.
  ///   - isolation: the actor that the closure is isolated to: `closure.isolation`.
  ///   - invocation: calls the closure with the result, isolated to the first parameter, the closure's actor.
  package func completion<Closure: Sendable, Value: Sendable>(
    passingOnTo closure: Closure, isolatedTo isolation: (any Actor)?,
    _ invocation: @escaping @Sendable (isolated (any Actor)?, Closure, Result<Value, AuthError>) async -> Void
  ) -> Completion<Value> {
    let callback = Callback(closure, isolatedTo: isolation, on: self)
    return { @WorkQueue result in callback.end { await invocation($0, $1, result) } }
  }

  /// Returns a completion for a caller who wants no result.
  package static func ignoring<Value: Sendable>() -> Completion<Value> { { @WorkQueue _ in } }
}

extension AuthEngine {
  /// Runs the completion form of a call: begins on the work queue at once, and calls the completion on its actor or the
  /// callback queue.
  nonisolated func deliver<Value: Sendable>(
    to completion: @escaping Completion<Value>, _ name: StaticString = #function,
    _ operation: @escaping @WorkQueue @Sendable () async throws(AuthError) -> Value
  ) {
    callbacks.deliver(to: completion, name, operation)
  }

  /// The clocks' reading, taken on the caller's thread because a clock is the app's code.
  nonisolated var now: ClockReading { app.clocks.now() }
}
