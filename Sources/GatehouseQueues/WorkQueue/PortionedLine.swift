import Dispatch
import GatehouseBase

/// What waits for its turn on a serial dispatch queue: in order, and run in portions.
///
/// Dispatch serves a queue strictly in order, so behind 5,000 calls a look at the state would wait for all of them. Here
/// they wait in a line of their own, and the dispatch queue holds one block, which runs a portion of the line and then
/// goes behind what has come meanwhile.
final class PortionedLine: Sendable {
  private struct State: Sendable {
    var waiting = FIFO<@Sendable () -> Void>()
    /// Whether the dispatch queue holds the block that runs the line.
    var isServed = false
    var appended: UInt64 = 0
    var taken: UInt64 = 0
  }

  private static let portion = 32

  private let queue: DispatchQueue
  private let state = Lock(unwatched: State())

  init(on queue: DispatchQueue) { self.queue = queue }

  /// Puts a block at the end of the line.
  func append(_ block: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.appended += 1
      state.waiting.append(block)
      guard !state.isServed else { return }
      state.isServed = true
      queue.async { self.runPortion() }  // within the lock: what is in line is always on its way
    }
  }

  /// How many blocks have been put in line so far.
  var end: UInt64 { state.withLock { $0.appended } }

  /// Whether the blocks up to this place have run. Asked on the queue.
  func hasRun(to place: UInt64) -> Bool { state.withLock { $0.taken >= place } }

  private func runPortion() {
    let blocks = state.withLock { state in
      var blocks: [@Sendable () -> Void] = []
      while blocks.count < Self.portion, let block = state.waiting.popFirst() { blocks.append(block) }
      state.taken += UInt64(blocks.count)
      return blocks
    }
    for block in blocks { block() }
    state.withLock { state in
      state.isServed = state.waiting.count > 0
      if state.isServed { queue.async { self.runPortion() } }
    }
  }
}
