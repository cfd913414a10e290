import GatehouseBase
import GatehouseQueues

/// One sign-in in flight, and its callers.
@WorkQueue
final class SignInAttempt {
  /// Which sign-in or sign-out this is; a later one ends it.
  let epoch: UInt64
  /// The tenant whose user signs in; `nil` for the project's own.
  let tenantID: String?
  /// Whether it has ended, or its last caller has left.
  private(set) var isOver = false
  /// The task that asks the provider and the store.
  var task: Task<Void, Never>?
  /// Held while the provider and the store are asked, by a sign-in that others may join.
  let queue = SerialTaskQueue(label: "gatehouse.sign-in")
  private var callers: [Promise<SignInResult, AuthError>] = []

  init(epoch: UInt64, tenantID: String?) {
    self.epoch = epoch
    self.tenantID = tenantID
  }

  /// Adds a caller. The promise resolves when the sign-in ends.
  func join() -> Promise<SignInResult, AuthError> {
    let caller = Promise<SignInResult, AuthError>()
    callers.append(caller)
    return caller
  }

  /// Removes a caller that no longer waits.
  func leave(_ caller: Promise<SignInResult, AuthError>) {
    callers.removeAll { $0 === caller }
    guard callers.isEmpty else { return }
    isOver = true
    task?.cancel()
  }

  /// Tells every caller the result, once.
  func end(_ result: Result<SignInResult, AuthError>) {
    isOver = true
    let callers = callers  // out first: a caller that is resumed may call
    self.callers = []
    for caller in callers { caller.resolve(result) }
  }
}
