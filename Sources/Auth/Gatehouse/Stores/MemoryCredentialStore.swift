public import GatehouseBase
import GatehouseQueues

/// A store that keeps one session, or those of several users, in memory, for as long as the store lives. Usable from
/// any thread; every call returns at once.
public final class MemoryCredentialStore: CredentialStore, UserShelf {
  private let stored: Lock<SessionShelf>
  private let keepsUsers: Bool
  private let isTaken = Lock(false)

  /// Makes a store that holds a session, or is empty.
  ///
  /// - Parameters:
  ///   - session: the session that it holds.
  ///   - keepsUsers: whether the session that a sign-in replaces is kept, so that the app can switch back to it.
  public init(_ session: StoredSession? = nil, keepsUsers: Bool = false) {
    stored = Lock(SessionShelf(current: session))
    self.keepsUsers = keepsUsers
  }

  public func load() async throws(AuthError) -> StoredSession? { stored.withLock { $0.current } }

  public func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    stored.withLock { $0.write(session, if: condition) }
  }

  /// This store, if it keeps users.
  public var shelf: (any UserShelf)? { keepsUsers ? self : nil }

  public func sessions() async throws(AuthError) -> SessionShelf { stored.withLock { $0 } }

  public func replace(_ known: SessionShelf, by new: SessionShelf) async throws(AuthError) -> Bool {
    stored.withLock { stored in
      guard stored == known else { return false }
      stored = new
      return true
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

/// The lock that lets one `Auth` at a time refresh the session of a store in memory.
private final class MemoryStoreLock: StoreLock {
  private let isTaken: TakeOnce<Lock<Bool>>

  init(_ isTaken: Lock<Bool>) { self.isTaken = TakeOnce(isTaken) }

  func release() { isTaken.take()?.withLock { $0 = false } }
}

extension CredentialStore where Self == MemoryCredentialStore {
  /// A new, empty store in memory. The session ends with the program.
  public static var memory: MemoryCredentialStore { MemoryCredentialStore() }
}
