import GatehouseBase
import GatehouseQueues

/// The waits for a session's refreshes and changes, which the end of the session ends, and the sign-ins and switches
/// that set the session aside.
@WorkQueue
final class SessionWaits {
  private var ends: [Int: @WorkQueue (AuthError) -> Void] = [:]
  private var lastNumber = 0
  /// The sign-ins and switches that set the session aside. They wait for the store, which has no deadline.
  private var settingsAside: [Promise<Void, AuthError>] = []

  nonisolated init() {}

  /// Fails a promise when the session ends, until it is removed.
  func add<Value: Sendable>(_ promise: Promise<Value, AuthError>) -> Int {
    lastNumber += 1
    ends[lastNumber] = { promise.resolve(.failure($0)) }
    return lastNumber
  }

  func remove(_ number: Int) { ends[number] = nil }

  func endAll(_ error: AuthError) {
    let (all, asides) = (ends, settingsAside)  // copied first: a resumed caller may call again
    (ends, settingsAside) = ([:], [])
    for number in all.keys.sorted() { all[number]?(error) }
    for aside in asides { aside.resolve(.failure(error)) }
  }

  // MARK: Setting aside

  /// Begins to set the session aside, unless the sign-in has ended meanwhile: no refresh and no change of it begins
  /// until `stay`.
  func setAside(for signIn: Promise<Void, AuthError>) {
    if !signIn.isResolved { settingsAside.append(signIn) }
  }

  /// Ends it. A session that has not ended continues.
  func stay(_ signIn: Promise<Void, AuthError>) {
    settingsAside.removeAll { $0 === signIn }
    signIn.resolve(.success(()))
  }

  /// Waits while the session is being set aside. Throws the reason if the session ends.
  func untilKept() async throws(AuthError) {
    while let signIn = settingsAside.last { try await signIn.value() }
  }
}
