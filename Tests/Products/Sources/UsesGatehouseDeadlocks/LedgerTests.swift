import GatehouseDeadlocks
import GatehouseQueues
import Testing

@Suite(.deadlockFree) struct LedgerTests {
  @Test func `two queues are waited for in one direction`() {
    let accounts = SerialQueue(label: "accounts"), journal = SerialQueue(label: "journal")
    #expect(accounts.sync { journal.sync { 42 } } == 42)
  }
}
