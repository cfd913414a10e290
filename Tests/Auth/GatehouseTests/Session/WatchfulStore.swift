import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import IdentityToolkit

/// A store in memory whose calls a test refuses one by one, by what they ask.
final class WatchfulStore: CredentialStore {
  enum Call: Sendable {
    case load
    case write(StoredSession?, if: StoreCondition)
  }

  typealias Refusal = @Sendable (Call) async -> AuthError?

  private let store: any CredentialStore
  private let refusal = Lock<Refusal?>(nil)

  /// A store that keeps in `store` what it is given.
  init(_ store: any CredentialStore = .memory) { self.store = store }

  /// From now on each call is asked about first; a call that gets an error fails with it.
  func refuse(_ refusal: Refusal?) { self.refusal.withLock { $0 = refusal } }

  func load() async throws(AuthError) -> StoredSession? {
    if let error = await refusal.withLock({ $0 })?(.load) { throw error }
    return try await store.load()
  }

  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    if let error = await refusal.withLock({ $0 })?(.write(session, if: condition)) { throw error }
    return try await store.write(session, if: condition)
  }
}

/// A store that fails while it is told to, the first time after it has written.
final class StoreThatFailsLate: CredentialStore {
  let fails = Lock(false)
  private let hasFailed = Lock(false)
  private let store: any CredentialStore

  init(_ store: any CredentialStore) { self.store = store }

  func load() async throws(AuthError) -> StoredSession? { try await store.load() }

  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    let fails = fails.withLock { $0 }
    let isFirst = hasFailed.withLock { hasFailed in
      defer { hasFailed = fails }
      return !hasFailed
    }
    let outcome = isFirst || !fails ? try await store.write(session, if: condition) : .written
    if fails { throw AuthError(.storeFailed, "the disk may be full") }
    return outcome
  }
}

/// A provider that does what it is asked at once, and keeps answers of one kind back until the gate is open.
final class LateBackend: Backend {
  let scripted: ScriptedBackend
  private let kind: any Call.Type
  private let gate = Lock<Gate?>(nil)

  /// - Parameter kind: the calls whose answers can be kept back.
  init(_ scripted: ScriptedBackend = ScriptedBackend(), keepingBack kind: any Call.Type) {
    self.scripted = scripted
    self.kind = kind
  }

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    let result = await outcome { () throws(AuthError) in try await scripted.answer(call) }
    if C.self == kind { await gate.withLock { $0 }?.pass() }
    return try typed { try result.get() }
  }

  /// Keeps answers back from now on, until the gate is opened.
  func keepBack() -> Gate {
    let new = Gate()
    gate.withLock { $0 = new }
    return new
  }
}
