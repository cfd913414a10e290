import Dispatch
import GatehouseBase

/// A FIFO of blocks in front of a serial dispatch queue, run in portions.
///
/// Dispatch runs a queue strictly in order, so a read of the state would wait for 5,000 earlier calls. Here the calls
/// wait in this line. The dispatch queue holds one block, which runs a portion of the line and then enqueues itself
/// again, behind the reads that have arrived meanwhile.
final class PortionedLine: Sendable {
  private struct State: Sendable {
    var waiting = FIFO<@Sendable () -> Void>()
    /// Whether the dispatch queue holds the block that runs a portion.
    var isServed = false
    var appended: UInt64 = 0
    var taken: UInt64 = 0
  }

  private static let portion = 32

  private let queue: DispatchQueue
  private let state = Lock(unwatched: State())

  init(on queue: DispatchQueue) { self.queue = queue }

  /// Appends a block.
  func append(_ block: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.appended += 1
      state.waiting.append(block)
      guard !state.isServed else { return }
      state.isServed = true
      queue.async { self.runPortion() }  // under the lock: a caller who sees the block in line can wait for it
    }
  }

  /// The number of blocks appended so far.
  var end: UInt64 { state.withLock { $0.appended } }

  /// Whether the first `count` blocks have run. Called on the queue.
  func hasRun(_ count: UInt64) -> Bool { state.withLock { $0.taken >= count } }

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
