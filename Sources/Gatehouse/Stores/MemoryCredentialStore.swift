public import GatehouseBase
import GatehouseQueues

/// Keeps one session for as long as the store lives. Usable from any thread; every call answers at once.
public final class MemoryCredentialStore: CredentialStore {
  private let stored: Lock<StoredSession?>

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
}

extension CredentialStore where Self == MemoryCredentialStore {
  /// A new, empty store in memory: the session ends with the program.
  public static var memory: MemoryCredentialStore { MemoryCredentialStore() }
}
