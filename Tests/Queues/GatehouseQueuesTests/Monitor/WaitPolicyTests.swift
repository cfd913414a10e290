import Foundation
import GatehouseQueues
import GatehouseWaits
import HangGuard
import Testing

/// The handling of a report. Each test runs in its own process, because the policy applies to the whole process.
struct WaitPolicyTests {
  @Test func `the policy stop ends the process, with the report as its last words`() async throws {
    let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      endIfItHangs()
      WaitMonitor.start(.stop)
      TwoQueues().cross()
    }
    #expect(String(decoding: child.standardErrorContent, as: UTF8.self).contains("queue first → queue second"))
  }

  @Test func `a suppressed report stops nobody`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let text = """
        [{"name": "queue first → queue second → queue first", "reason": "a test", "expires": "2999-01-01"}]
        """
      WaitMonitor.start(.stop, suppressing: try Suppressions(json: Array(text.utf8)))
      TwoQueues().cross()
      exit(WaitMonitor.reports.isEmpty ? 0 : 1)
    }
  }

  @Test func `a stall limit of any length stops no process`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      for stall in [Duration.seconds(Int64.max), .seconds(Int64.min), .seconds(-1), .zero] {
        WaitMonitor.start(.keep, slowBlock: stall, stall: stall)
      }
      WaitMonitor.stop()
    }
  }

  @Test func `what may only be slow does not stop the process`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      WaitMonitor.start(.stop, stall: .milliseconds(20))
      let queue = SerialQueue(label: "slow")
      // Dispatch's own, which the monitor does not see: they only signal when to continue.
      let isHeld = DispatchSemaphore(value: 0), isReported = DispatchSemaphore(value: 0)
      queue.async {
        isHeld.signal()
        isReported.wait()
      }
      isHeld.wait()
      let waiter = Thread { queue.sync {} }
      waiter.start()
      // With pauses: a thread that polls continuously keeps the monitor's lock from others.
      while !WaitMonitor.reports.contains(where: { $0.kind == .stall }) { usleep(10_000) }
      isReported.signal()
      queue.sync {}
      // The report is withdrawn once the threads make progress.
      while !WaitMonitor.reports.isEmpty { usleep(10_000) }
      exit(0)
    }
  }

  @Test func `a deadlock that has happened does`() async throws {
    let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      endIfItHangs()
      WaitMonitor.start(.keep, stall: nil)
      let queues = TwoQueues()
      // The possible cycle is known by now; the actual deadlock is new.
      queues.cross()
      WaitMonitor.start(.stop, stall: .milliseconds(20))
      // Dispatch's own, as above.
      let firstIsHeld = DispatchSemaphore(value: 0), secondIsHeld = DispatchSemaphore(value: 0)
      queues.first.async {
        firstIsHeld.signal()
        secondIsHeld.wait()
        queues.second.sync {}
      }
      queues.second.async {
        secondIsHeld.signal()
        firstIsHeld.wait()
        queues.first.sync {}
      }
      while true { pause() }
    }
    #expect(String(decoding: child.standardErrorContent, as: UTF8.self).contains("2 threads wait for each other"))
  }

  @Test(arguments: ["log", "stop"])
  func `the environment turns the monitor on`(policy: String) async throws {
    let child = try await #require(
      processExitsWith: policy == "stop" ? .failure : .success, observing: [\.standardErrorContent]
    ) { [policy] in
      endIfItHangs()
      ask(policy)
      TwoQueues().cross()
      exit(WaitMonitor.reports.count == 1 ? 0 : 2)
    }
    if policy == "stop" {
      #expect(String(decoding: child.standardErrorContent, as: UTF8.self).contains("queue first → queue second"))
    }
  }

  @Test func `the program's own word counts for more than the environment's`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      ask("stop")
      WaitMonitor.start(.keep)
      TwoQueues().cross()
      exit(WaitMonitor.reports.count == 1 ? 0 : 2)
    }
  }

  @Test func `a monitor that was stopped has forgotten what it learned, and reports it again`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let queues = TwoQueues()
      for run in 1...2 {
        WaitMonitor.start(.keep)
        queues.cross()
        queues.cross()
        guard WaitMonitor.reports.count == run else { exit(2) }
        WaitMonitor.stop()
      }
      exit(0)
    }
  }
}

/// Two queues that can wait for each other.
struct TwoQueues: Sendable {
  let first = SerialQueue(label: "first"), second = SerialQueue(label: "second")

  /// One order after the other, so that nothing deadlocks.
  func cross() {
    first.sync { second.sync {} }
    second.sync { first.sync {} }
  }
}

/// Enables the monitor through the environment.
private func ask(_ policy: String) {
  // `unsafe`: C reads both strings during the call.
  _ = unsafe setenv("GATEHOUSE_WAITS", policy, 1)
}
