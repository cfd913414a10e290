import GatehouseBase
import GatehouseQueues

/// The sources of an agent's accounts: the user's objects, which must be called and released off the work queue.
///
/// One lock guards all of them. A box with a lock for each account would be as large as the rest of the account.
final class AccountSources: Sendable {
  /// Identifies a source. No two sources of an agent have the same.
  typealias ID = Int

  private let state = Lock((count: 0, sources: [ID: any TokenSource]()))

  func add(_ source: any TokenSource) -> ID {
    state.withLock { state in
      state.count += 1
      state.sources[state.count] = source
      return state.count
    }
  }

  /// The source, until it is taken.
  subscript(id: ID) -> (any TokenSource)? { state.withLock { $0.sources[id] } }

  /// Returns a source to release it.
  func take(_ id: ID) -> (any TokenSource)? { state.withLock { $0.sources.removeValue(forKey: id) } }

  /// Returns all sources to release them.
  func takeAll() -> [ID: any TokenSource] {
    state.withLock { state in
      defer { state.sources = [:] }
      return state.sources
    }
  }
}
