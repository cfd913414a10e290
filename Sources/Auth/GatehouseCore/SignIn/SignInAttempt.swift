import GatehouseBase
import GatehouseQueues

/// One sign-in in flight, and those who wait for it.
@WorkQueue
final class SignInAttempt {
  /// Which sign-in or sign-out this is; a later one ends it.
  let epoch: UInt64
  /// Whether it has ended, or its last caller has left.
  private(set) var isOver = false
  /// What asks the provider and the store.
  var task: Task<Void, Never>?
  /// Held while the provider and the store are asked, by a sign-in that others may join.
  let queue = SerialTaskQueue(label: "gatehouse.sign-in")
  private var callers: [Promise<SignInResult, AuthError>] = []

  init(epoch: UInt64) { self.epoch = epoch }

  /// One caller more. The promise comes with the sign-in's end.
  func join() -> Promise<SignInResult, AuthError> {
    let caller = Promise<SignInResult, AuthError>()
    callers.append(caller)
    return caller
  }

  /// A caller who does not wait any more.
  func leave(_ caller: Promise<SignInResult, AuthError>) {
    callers.removeAll { $0 === caller }
    guard callers.isEmpty else { return }
    isOver = true
    task?.cancel()
  }

  /// Tells every caller the result, once.
  func end(_ result: Result<SignInResult, AuthError>) {
    isOver = true
    let callers = callers  // out first: those who are told may call
    self.callers = []
    for caller in callers { caller.resolve(result) }
  }
}
