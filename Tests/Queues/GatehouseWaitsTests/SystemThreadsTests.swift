import GatehouseWaits
import Testing

/// The kernel's information about a process's threads. The texts come from real processes.
struct SystemThreadsTests {
  #if arch(arm64)
    private static let futex = 98, epoll = 22, suspend = 133
  #else
    private static let futex = 202, epoll = 232, suspend = 130
  #endif

  private static func status(_ state: String = "S (sleeping)", caught: String = "00000001000004f8") -> String {
    """
    Name:\tprogram
    State:\t\(state)
    SigCgt:\t\(caught)
    voluntary_ctxt_switches:\t40
    nonvoluntary_ctxt_switches:\t2
    """
  }

  private static let maps = """
    55d8a1c00000-55d8a1c10000 rw-p 00000000 00:00 0                          [heap]
    7f6224936000-7f622497f000 r-xp 00000000 fe:00 2265                       /usr/lib/libdispatch.so
    7f6224991000-7f6224992000 rw-p 0005a000 fe:00 2265                       /usr/lib/libdispatch.so
    7f6224992000-7f6224995000 rw-p 00000000 00:00 0
    7f6224995000-7f6224996000 r--p 00000000 fe:00 2266                       /usr/lib/libother.so
    7f6224996000-7f6224997000 rw-p 00000000 00:00 0
    7f6224a00000-7f6224a01000 rw-s 00000000 00:01 3079                       /dev/zero (deleted)
    7f6224a01000-7f6224a02000 rw-p 00000000 fe:00 2267                       /usr/lib/libmapped.so
    7f6224a02000-7f6224a03000 rw-s 00000000 00:01 0
    """

  private static func futex(_ address: String, _ operation: String, limit: String = "0x0") -> String {
    "\(futex) \(address) \(operation) 0x0 \(limit) 0x0 0xffffffff 0x7f62203fec10 0x7f6222ccaf16\n"
  }

  /// The threads of a process whose main thread is 1, in the order in which they were read.
  private func threads(
    _ calls: [UInt32: String], statuses: [UInt32: String] = [:], _ more: [String: String] = [:]
  ) -> SystemThreads? {
    var files = more
    files["maps"] = Self.maps
    for (id, call) in calls {
      files["task/\(id)/syscall"] = call
      files["task/\(id)/status"] = statuses[id] ?? Self.status()
    }
    let (texts, names) = (files, calls.keys.map(String.init))
    return SystemThreads(main: 1, ProcessFiles(text: { texts[$0] }, names: { $0 == "task" ? names : nil }))
  }

  private func activity(_ call: String, status: String? = nil, _ more: [String: String] = [:])
    -> SystemThreads.Activity?
  {
    threads([1: call], statuses: status.map { [1: $0] } ?? [:], more)?.threads.first?.activity
  }

  @Test func `a futex without a limit is a wait, and shared if another process may reach it`() {
    let heap = "0x55d8a1c00100"
    #expect(activity(Self.futex(heap, "0x189")) == .waits)
    #expect(activity(Self.futex(heap, "0x80")) == .waits)
    #expect(activity(Self.futex(heap, "0x86")) == .waits)
    // Not marked as private, but in memory that no other process shares: C++'s futures, and the end of a thread.
    #expect(activity(Self.futex(heap, "0x0")) == .waits)
    #expect(activity(Self.futex("0x7f6224996010", "0x109")) == .waits)
    for shared in ["0x7f6224a00010", "0x7f6224a01010", "0x7f6224a02010", "0x7f6224a03010"] {
      #expect(activity(Self.futex(shared, "0x109")) == .waitsShared)
      #expect(activity(Self.futex(shared, "0x189")) == .waits)
    }
    #expect(activity(Self.futex(heap, "0x189", limit: "0x7f62203fecb8")) == .acts)
    // A wake operation, not a wait.
    #expect(activity(Self.futex(heap, "0x81")) == .acts)
  }

  @Test func `a worker of Dispatch waits with a limit on a semaphore of Dispatch's own`() {
    let limit = "0x7f62203fecb8"
    #expect(activity(Self.futex("0x7f62249921d0", "0x189", limit: limit)) == .idles)
    #expect(activity(Self.futex("0x7f6224991010", "0x189", limit: limit)) == .idles)
    #expect(activity(Self.futex("0x7f6224996010", "0x189", limit: limit)) == .acts)
    #expect(activity(Self.futex("0x55d8a1c00100", "0x189", limit: limit)) == .acts)
  }

  @Test func `what runs, sleeps, reads or cannot be read acts`() {
    #expect(activity("running\n") == .acts)
    #expect(activity("35 0x7ffe 0x7ffe 0x0 0x0 0x0 0x0 0x7ffe 0x7f00\n") == .acts)
    #expect(activity("0 0x0 0x7ffe 0x1000 0x0 0x0 0x0 0x7ffe 0x7f00\n") == .acts)
    #expect(activity("") == .acts)
    #expect(activity(Self.futex("0x5500", "0x189"), status: Self.status("T (stopped)")) == .acts)
    #expect(activity("", status: Self.status("Z (zombie)")) == .idles)
  }

  @Test func `a thread that waits for a signal idles if no signal is handled`() {
    let call = "\(Self.suspend) 0x7fd5 0x8 0x10 0x0 0x0 0x0 0x7ffe 0x7fd5\n"
    #expect(activity(call) == .idles)
    let handler = Self.status(caught: "0000000000002000")
    #expect(activity(call, status: handler) == .acts)
    #expect(threads([1: call], statuses: [1: handler])?.handlesSignals == true)
    #expect(threads([1: call])?.handlesSignals == false)
  }

  @Test func `Dispatch's manager idles while it watches only its own descriptors`() {
    let call = "\(Self.epoll) 0x3 0x7fd58631db80 0x10 0xffffffff 0x0 0x7fd58631e628 0x7fd58631db50 0x7fd586f57f36\n"
    func watches(_ lines: String..., timer: String = "it_value: (0, 0)") -> SystemThreads.Activity? {
      activity(call, ["fdinfo/3": "pos:\t0\n" + lines.joined(separator: "\n"), "fdinfo/6": timer])
    }
    let own = "tfd:        4 events:     4019 data:                1  pos:0 ino:40f sdev:10"
    let second = "tfd:        5 events: 40000019 data:                3  pos:0 ino:40f sdev:10"
    let wall = "tfd:        6 events: 40000019 data:                2  pos:0 ino:40f sdev:10"
    let program = "tfd:        7 events: 40000019 data:     7f6218002770  pos:0 ino:40f sdev:10"
    #expect(watches(own, second) == .idles)
    #expect(watches(own, second, wall) == .idles)
    #expect(watches(own, second, wall, timer: "it_value: (3, 5)") == .acts)
    #expect(watches(own, second, program) == .acts)
    #expect(watches(second) == .acts)
    #expect(activity(call) == .acts)
    // An event loop that requests more events at once, or uses a timeout, is not Dispatch's.
    let files = ["fdinfo/3": own]
    #expect(activity(call.replacing("0x10 ", with: "0x80 "), files) == .acts)
    #expect(activity(call.replacing("0xffffffff", with: "0x64"), files) == .acts)
  }

  @Test func `the main thread is looked at first, and no more after a thread that acts`() throws {
    let wait = Self.futex("0x5500", "0x189")
    let all = try #require(threads([3: wait, 1: wait, 2: wait]))
    #expect(all.threads.map(\.id) == [1, 2, 3] && all.threads.allSatisfy { $0.stops == 42 })
    #expect(threads([3: wait, 1: "running\n", 2: wait])?.threads.map(\.id) == [1])
    #expect(threads([:]) == nil)
  }
}
