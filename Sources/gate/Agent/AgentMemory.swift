import GatehouseQueues
import GatehouseSystem

/// Gives back the memory that fetches have used: what one of them frees lies between tokens that stay, where the
/// allocator keeps it.
struct AgentMemory: Sendable {
  /// The number of new tokens since memory was given back.
  private let tokens = Lock(0)

  /// The number of tokens whose fetches leave too little memory to look for.
  private static let few = 100

  /// Counts a new token. Usable from any thread.
  func noteToken() { tokens.withLock { $0 += 1 } }

  /// Gives memory back every quarter of a minute if there were enough new tokens, and then once more: threads and
  /// connections end some time after the fetches that have used them.
  func begin() -> Task<Void, Never> {
    Task {
      var rounds = 0
      while !Task.isCancelled {
        let isDue = tokens.withLock { count in
          guard count >= Self.few else { return false }
          count = 0
          return true
        }
        if isDue { rounds = 2 }
        if rounds > 0 {
          rounds -= 1
          FreeMemory.giveBack()
        }
        try? await Task.sleep(for: .seconds(15))
      }
    }
  }
}
