import GatehouseBase
import GatehouseQueues

/// One sign-in in flight, and its callers.
@WorkQueue
final class SignInAttempt {
  /// The epoch of this sign-in. A later sign-in or sign-out ends it.
  let epoch: UInt64
  /// The tenant whose user signs in; `nil` for the project.
  let tenantID: String?
  /// Whether the sign-in has ended, or its last caller has left.
  private(set) var isOver = false
  /// The task that calls the provider and the store.
  var task: Task<Void, Never>?
  /// Held during the calls to the provider and the store, by a sign-in that others may join.
  let queue = SerialTaskQueue(label: "gatehouse.sign-in")
  private typealias Caller = (number: Int, promise: Promise<SignInResult, AuthError>)
  private var callers: [ObjectIdentifier: Caller] = [:]
  private var lastNumber = 0

  init(epoch: UInt64, tenantID: String?) {
    self.epoch = epoch
    self.tenantID = tenantID
  }

  /// Adds a caller. The promise resolves when the sign-in ends.
  func join() -> Promise<SignInResult, AuthError> {
    let caller = Promise<SignInResult, AuthError>()
    lastNumber += 1
    callers[ObjectIdentifier(caller)] = (lastNumber, caller)
    return caller
  }

  /// Removes a caller that no longer waits.
  func leave(_ caller: Promise<SignInResult, AuthError>) {
    callers[ObjectIdentifier(caller)] = nil
    guard callers.isEmpty else { return }
    isOver = true
    task?.cancel()
  }

  /// Passes the result to every caller, once.
  func end(_ result: Result<SignInResult, AuthError>) {
    isOver = true
    let callers = callers.values.sorted { $0.number < $1.number }
    self.callers = [:]  // first: a resumed caller may call again
    for caller in callers { caller.promise.resolve(result) }
  }
}
