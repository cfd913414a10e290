import GatehouseDeadlocks
import GatehouseQueues
import Testing

@Test(.deadlockFree) func `two queues in one order`() {
  let (first, second) = (SerialQueue(label: "first"), SerialQueue(label: "second"))
  #expect(first.sync { second.sync { 1 } } == 1)
}
