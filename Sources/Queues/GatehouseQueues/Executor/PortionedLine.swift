import Dispatch
import GatehouseBase

/// A FIFO of blocks in front of a serial dispatch queue, run in portions.
///
/// Dispatch runs a queue strictly in order, so a read of the state would wait for 5,000 earlier calls. Here the calls
/// wait in this line. A server runs one portion of the line at a time, inside a `sync` on the dispatch queue. Between
/// two portions, the reads that have arrived meanwhile run.
///
/// A block can defer work until the queue is free, such as resuming its caller (decision 47). The server does that work
/// after the portion, on its own thread. The work may block the thread, so another server runs the portions from then
/// on.
///
/// A server is a serial queue without a target: Dispatch gives it a thread even when the app blocks all threads of the
/// global queues.
final class PortionedLine: Sendable {
  typealias Block = @Sendable () -> Void

  private struct State: Sendable {
    var waiting = FIFO<Block>()
    /// Whether a server runs portions, or is about to.
    var isServed = false
    var isInPortion = false
    /// Deferred work that has not begun.
    var deferred = FIFO<Block>()
    /// The amount of it that earlier portions deferred, and that can be done now.
    var due = 0
    /// Idle servers.
    var idle: [DispatchQueue] = []
    var servers = 0
  }

  private static let portion = 32
  static let maximumServers = 128

  private let queue: DispatchQueue
  private let state = UnwatchedLock(State())

  init(on queue: DispatchQueue) { self.queue = queue }

  /// Appends a block.
  func append(_ block: @escaping Block) {
    let server: DispatchQueue? = state.withLock { state in
      state.waiting.append(block)
      guard !state.isServed else { return nil }
      state.isServed = true
      return takeServer(&state)
    }
    if let server { start(server) }
  }

  /// Waits until all blocks that are in the line now have begun. A `sync` on the queue then runs after them.
  func waitForTurn() {
    let gate: DispatchQueue? = state.withLock { state in
      guard state.waiting.count > 0 else { return nil }
      // A suspended queue and not a semaphore: `gate queuecheck` reports each task that waits for a semaphore.
      let gate = DispatchQueue(label: "gatehouse.turn")
      gate.suspend()
      state.waiting.append { gate.resume() }
      return gate
    }
    gate?.sync {}
  }

  /// Defers work until the current portion has ended and the queue is free. Called on the queue.
  ///
  /// Returns `false`, and does nothing, if no portion is running.
  func whenFree(_ work: @escaping Block) -> Bool {
    state.withLock { state in
      if state.isInPortion { state.deferred.append(work) }
      return state.isInPortion
    }
  }

  /// Returns a server, made if need be; `nil` if there are `maximumServers` and none is idle.
  private func takeServer(_ state: inout State) -> DispatchQueue? {
    if let server = state.idle.popLast() { return server }
    guard state.servers < Self.maximumServers else { return nil }
    state.servers += 1
    return DispatchQueue(label: "\(queue.label).server")
  }

  private func start(_ server: DispatchQueue) { server.async { self.serve(as: server) } }
}

// MARK: - On a server

extension PortionedLine {
  private enum Next: Sendable {
    case portion
    case rest
    /// Do the due work. The successor runs the portions; without a successor, no block waits.
    case work(successor: DispatchQueue?)
    /// Let other threads do the work: all servers but this one are busy.
    case handOver([Block])
  }

  private func serve(as server: DispatchQueue) {
    while true {
      var next = Next.portion
      queue.sync { next = self.runPortion(on: server) }
      switch next {
      case .portion: continue
      case .rest: return
      case .handOver(let works): for work in works { WorkerPool.shared.async("deferred", work) }
      case .work(let successor):
        if let successor { start(successor) }
        while let work = nextWork(of: server) { work() }
        return
      }
    }
  }

  /// Runs the blocks that wait now, at most `portion`. A block that one of them appends runs later, after everything
  /// that the same one put on the dispatch queue.
  ///
  /// Each block is released here, before the work that it deferred is done. So a caller that is resumed is the last to
  /// hold what its block captured.
  private func runPortion(on server: DispatchQueue) -> Next {
    let count = state.withLock { state in
      state.isInPortion = true
      return min(state.waiting.count, Self.portion)
    }
    for _ in 0..<count { state.withLock { $0.waiting.popFirst() }?() }
    return state.withLock { endPortion(&$0, server) }
  }

  /// Decides what the server does next. Before it may block, another server must be available: idle for later blocks,
  /// or started for the rest of the work.
  private func endPortion(_ state: inout State, _ server: DispatchQueue) -> Next {
    state.isInPortion = false
    state.due = state.deferred.count
    if state.due == 0 {
      if state.waiting.count > 0 { return .portion }
      state.isServed = false
      state.idle.append(server)
      return .rest
    }
    guard let other = takeServer(&state) else {
      var works: [Block] = []
      while let work = takeWork(&state) { works.append(work) }
      return .handOver(works)
    }
    if state.due > 1 || state.waiting.count > 0 { return .work(successor: other) }
    state.isServed = false
    state.idle.append(other)
    return .work(successor: nil)
  }

  private func nextWork(of server: DispatchQueue) -> Block? {
    state.withLock { state in
      if let work = takeWork(&state) { return work }
      state.idle.append(server)
      return nil
    }
  }

  private func takeWork(_ state: inout State) -> Block? {
    guard state.due > 0 else { return nil }
    state.due -= 1
    return state.deferred.popFirst()
  }
}
