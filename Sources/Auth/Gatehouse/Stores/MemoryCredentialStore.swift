public import GatehouseBase
import GatehouseQueues

/// Keeps one session for as long as the store lives. Usable from any thread; every call answers at once.
public final class MemoryCredentialStore: CredentialStore {
  private let stored: Lock<StoredSession?>
  private let isTaken = Lock(false)

  /// A store that has a session already, or nothing.
  public init(_ session: StoredSession? = nil) { stored = Lock(session) }

  public func load() async throws(AuthError) -> StoredSession? { stored.withLock { $0 } }

  public func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    stored.withLock { stored in
      guard condition.holds(of: stored) else { return .conflict(stored) }
      stored = session
      return .written
    }
  }

  public func lock() async throws(AuthError) -> (any StoreLock)? {
    let wasTaken = isTaken.withLock { isTaken in
      defer { isTaken = true }
      return isTaken
    }
    if wasTaken { throw .storeInUse("this store") }
    return MemoryStoreLock(isTaken)
  }
}

/// The lock with which one `Auth` has a store in memory to itself.
private final class MemoryStoreLock: StoreLock {
  private let isTaken: TakeOnce<Lock<Bool>>

  init(_ isTaken: Lock<Bool>) { self.isTaken = TakeOnce(isTaken) }

  func release() { isTaken.take()?.withLock { $0 = false } }
}

extension CredentialStore where Self == MemoryCredentialStore {
  /// A new, empty store in memory: the session ends with the program.
  public static var memory: MemoryCredentialStore { MemoryCredentialStore() }
}
