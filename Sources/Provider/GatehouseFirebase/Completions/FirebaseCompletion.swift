public import Gatehouse
import GatehouseQueues

/// Called with the value of a call, or with its error, as Firebase's completions are: exactly one of the two is `nil`.
///
/// It is called exactly once: on the actor that the closure is isolated to, usually the main actor, otherwise on the
/// callback queue. The closure is released where it is called.
public typealias FirebaseCompletion<Value: Sendable> = @isolated(any) @Sendable (Value?, (any Error)?) -> Void

/// Called at the end of a call without a value: with `nil`, or with the error. It is called and released where a
/// `FirebaseCompletion` is.
public typealias FirebaseErrorCompletion = @isolated(any) @Sendable ((any Error)?) -> Void

/// Firebase's name for the completion of a sign-in, as a parameter of an app's own functions.
public typealias AuthDataResultCallback = (AuthDataResult?, (any Error)?) -> Void

// A completion is omitted in a function of its own, which is `noasync`: at the top level of main.swift the compiler
// prefers it even to a call with `await`, and says so then.

// The calls of this folder are `@preconcurrency`: programs for Firebase capture objects of no actor in their closures.
// The compiler accepts that in Swift 5 mode, as with Firebase; in Swift 6 mode it warns, and does not refuse.

extension CallbackQueue {
  /// Returns the completion of a call whose value goes to one of Firebase's.
  func passing<Value: Sendable>(to completion: FirebaseCompletion<Value>?) -> Completion<Value> {
    guard let completion else { return Self.ignoring() }
    return self.completion(passingOnTo: completion, isolatedTo: completion.isolation) { _, completion, result in
      switch result {
      case .success(let value): await completion(value, nil)
      case .failure(let error): await completion(nil, error)
      }
    }
  }

  /// Returns the completion of a call without a value, whose end goes to one of Firebase's.
  func passing(to completion: FirebaseErrorCompletion?) -> Completion<Void> {
    guard let completion else { return Self.ignoring() }
    return self.completion(passingOnTo: completion, isolatedTo: completion.isolation) { _, completion, result in
      switch result {
      case .success: await completion(nil)
      case .failure(let error): await completion(error)
      }
    }
  }
}
