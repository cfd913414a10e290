import GatehouseBase
import GatehouseQueues
import Testing

/// Serialized, because the trace belongs to the process.
@Suite(.serialized) struct QueueTraceTests {
  private func blocks(_ trace: JSONObject, of queue: String) -> [JSONObject] {
    let events = trace["traceEvents"]?.array?.compactMap(\.object) ?? []
    let track = events.first { $0["ph"]?.string == "M" && $0["args"]?.object?["name"]?.string == queue }?["tid"]
    return events.filter { $0["ph"]?.string == "X" && $0["tid"] == track }
  }

  @Test func `a block is there with its queue, its name, how long it waited and ran`() throws {
    let queue = SerialQueueExecutor(label: "test.traced")
    QueueTrace.start()
    queue.sync("first") {}
    queue.sync("second") {}
    let found = blocks(QueueTrace.stopped(), of: "test.traced")
    #expect(found.map { $0["name"]?.string } == ["first", "second"])
    for block in found {
      #expect((block["dur"]?.double ?? -1) >= 0 && (block["args"]?.object?["waited_us"]?.double ?? -1) >= 0)
    }
  }

  @Test func `the latest are kept, the others are counted`() throws {
    let queue = SerialQueueExecutor(label: "test.ring")
    QueueTrace.start(limit: 3)
    for _ in 0..<10 { queue.sync("block") {} }
    let trace = QueueTrace.stopped()
    #expect((trace["traceEvents"]?.array ?? []).filter { $0.object?["ph"]?.string == "X" }.count == 3)
    #expect((trace["dropped"]?.double ?? 0) >= 7)
  }

  @Test func `nothing is kept when it is off`() {
    let queue = SerialQueueExecutor(label: "test.untraced")
    queue.sync("block") {}
    #expect(blocks(QueueTrace.stopped(), of: "test.untraced").isEmpty)
  }
}
