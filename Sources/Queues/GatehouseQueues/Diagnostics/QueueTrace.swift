package import GatehouseBase
import Synchronization

/// Records the blocks that the SDK's queues run, with their times and waits, in the trace-event format that Perfetto
/// and Chrome open.
///
/// Off unless started. Keeps only the latest blocks, up to a limit. Each track is one queue. Usable from any thread.
public enum QueueTrace {
  struct Block: Sendable {
    let queue: String
    let name: StaticString
    /// Monotonic nanoseconds.
    let queued, begin, end: Int64
  }

  private struct State: Sendable {
    var limit = 0
    var blocks: [Block] = []
    var next = 0
    var dropped = 0
  }

  private static let state = UnwatchedLock(State())
  /// Whether a trace is running. Queues check it before they record anything.
  static let isOn = Atomic<Bool>(false)

  /// Starts a trace, and drops the blocks of an earlier one.
  ///
  /// - Parameter limit: the maximum number of blocks that are kept; older ones are dropped and counted.
  public static func start(limit: Int = 100_000) {
    state.withLock { $0 = State(limit: max(limit, 0)) }
    isOn.store(limit > 0, ordering: .relaxed)
  }

  /// Stops the trace, and returns the kept blocks as JSON text in UTF-8, oldest first. Times are microseconds.
  public static func stop() -> [UInt8] { stopped().serialized() }

  /// Stops the trace, and returns the kept blocks, oldest first.
  package static func stopped() -> JSONObject {
    isOn.store(false, ordering: .relaxed)
    let state = state.withLock { state in
      defer { state = State() }
      return state
    }
    let blocks = state.blocks[state.next...] + state.blocks[..<state.next]
    var tracks: [String] = []
    for block in blocks where !tracks.contains(where: { $0.isExactly(block.queue) }) { tracks.append(block.queue) }
    let names = tracks.enumerated().map { place, queue in
      JSONValue.object([
        "ph": "M", "name": "thread_name", "pid": 1, "tid": .number(JSONNumber(place + 1)),
        "args": .object(["name": .string(queue)]),
      ])
    }
    let events = blocks.map { block in
      let track = (tracks.firstIndex { $0.isExactly(block.queue) } ?? 0) + 1
      return JSONValue.object([
        "ph": "X", "name": .string("\(block.name)"), "cat": "block", "pid": 1, "tid": .number(JSONNumber(track)),
        "ts": microseconds(block.begin), "dur": microseconds(block.end - block.begin),
        "args": .object(["waited_us": microseconds(block.begin - block.queued)]),
      ])
    }
    return [
      "displayTimeUnit": "ms", "traceEvents": .array(names + events), "dropped": .number(JSONNumber(state.dropped)),
    ]
  }

  private static func microseconds(_ nanoseconds: Int64) -> JSONValue {
    JSONNumber(Double(nanoseconds) / 1e3).map { .number($0) } ?? 0
  }

  static func note(_ block: Block) {
    state.withLock { state in
      guard state.limit > 0 else { return }
      guard state.blocks.count == state.limit else { return state.blocks.append(block) }
      state.blocks[state.next] = block
      state.next = (state.next + 1) % state.limit
      state.dropped += 1
    }
  }
}
