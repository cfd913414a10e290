import GatehouseQueues
import GatehouseSystem

/// Gives back the memory that fetches have used: what one of them frees lies between tokens that stay, where the
/// allocator keeps it. Ten thousand accounts would hold twice the memory.
struct AgentMemory: Sendable {
  private let fetches = Lock(0)

  /// A small part of the memory is in use by so few fetches.
  private static let few = 100

  /// Counts a fetch. Usable from any thread.
  func noteFetch() { fetches.withLock { $0 += 1 } }

  /// Gives memory back every quarter of a minute, if there were fetches since.
  func begin() -> Task<Void, Never> {
    Task {
      while !Task.isCancelled {
        let isDue = fetches.withLock { count in
          guard count >= Self.few else { return false }
          count = 0
          return true
        }
        if isDue { FreeMemory.giveBack() }
        try? await Task.sleep(for: .seconds(15))
      }
    }
  }
}
