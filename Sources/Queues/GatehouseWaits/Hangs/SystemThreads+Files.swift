/// The kernel's files about a process, below `/proc/PID/`.
package struct ProcessFiles: Sendable {
  /// Returns the text of the file with this name; nil if it cannot be read.
  package let text: @Sendable (String) -> String?
  /// Returns the names in the folder with this name; nil if it cannot be read.
  package let names: @Sendable (String) -> [String]?

  package init(text: @escaping @Sendable (String) -> String?, names: @escaping @Sendable (String) -> [String]?) {
    self.text = text
    self.names = names
  }
}

extension SystemThreads {
  /// Lists the threads; nil if that is not possible. Stops at the first active thread: then nothing is certain.
  ///
  /// A thread counts as active if its state cannot be read or is unknown here.
  ///
  /// - Parameter main: the main thread.
  package init?(main: UInt32, _ files: ProcessFiles) {
    guard let names = files.names("task"), !names.isEmpty else { return nil }
    let ids = names.compactMap(UInt32.init).sorted { $0 == main || ($1 != main && $0 < $1) }
    let dispatch = DispatchThreads(files)
    var threads: [Thread] = []
    var handlesSignals = false
    for id in ids {
      // A thread that has ended meanwhile has no file.
      guard let status = files.text("task/\(id)/status").map(ThreadStatus.init) else { continue }
      handlesSignals = handlesSignals || status.handlesSignals
      let call = SystemCallText(files.text("task/\(id)/syscall") ?? "")
      let activity = status.activity(in: call, dispatch)
      threads.append(Thread(id: id, activity, stops: status.stops))
      if activity == .acts { break }
    }
    guard !threads.isEmpty else { return nil }
    self.init(threads, handlesSignals: handlesSignals)
  }
}

/// `/proc/PID/task/TID/status`.
private struct ThreadStatus {
  private var state: Character = "?"
  private var caught: UInt64 = .max
  private(set) var stops: UInt64 = 0
  /// Fault signals, which a crash reporter handles, and the two signals that glibc itself uses.
  private static let faults: UInt64 = [3, 4, 5, 6, 7, 8, 11, 31, 32, 33].reduce(0) { $0 | 1 << (UInt64($1) - 1) }

  init(_ text: String) {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      let value = parts.last.map { $0.drop { $0 == " " || $0 == "\t" } } ?? ""
      switch parts.first {
      case "State": state = value.first ?? "?"
      case "SigCgt": caught = UInt64(value, radix: 16) ?? .max
      case "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches": stops &+= UInt64(value) ?? 0
      default: break
      }
    }
  }

  var handlesSignals: Bool { caught & ~Self.faults != 0 && state != "Z" && state != "X" }

  func activity(in call: SystemCallText, _ dispatch: DispatchThreads) -> SystemThreads.Activity {
    if state == "Z" || state == "X" { return .idles }
    guard state == "S" else { return .acts }
    if call.suspendsForSignal { return handlesSignals ? .acts : .idles }
    if let futex = call.futex {
      if !futex.isLimited { return futex.isPrivate || dispatch.isOwnMemory(futex.address) ? .waits : .waitsShared }
      return dispatch.hasWorkerSemaphore(at: futex.address) ? .idles : .acts
    }
    if let descriptor = call.epollWithoutLimit { return dispatch.isQuietManager(on: descriptor) ? .idles : .acts }
    return .acts
  }
}

/// `/proc/PID/task/TID/syscall`: the number of the system call that the thread is in, and its arguments.
private struct SystemCallText {
  private let number: UInt64?
  private let arguments: [UInt64]

  init(_ text: String) {
    let fields = text.split { $0 == " " || $0 == "\n" }
    number = fields.first.flatMap { UInt64($0) }
    arguments = fields.dropFirst().prefix(6).map { UInt64($0.dropFirst(2), radix: 16) ?? 0 }
  }

  #if arch(arm64)
    private static let futexCall: UInt64 = 98, epollCalls: [UInt64] = [22], suspendCalls: [UInt64] = [133]
  #else
    private static let futexCall: UInt64 = 202, epollCalls: [UInt64] = [232, 281], suspendCalls: [UInt64] = [34, 130]
  #endif

  /// A wait on a futex.
  var futex: (address: UInt64, isPrivate: Bool, isLimited: Bool)? {
    guard number == Self.futexCall, arguments.count == 6 else { return nil }
    let (ownFlag, realTimeFlag): (UInt64, UInt64) = (128, 256)
    // FUTEX_WAIT, FUTEX_LOCK_PI, FUTEX_WAIT_BITSET, FUTEX_WAIT_REQUEUE_PI, FUTEX_LOCK_PI2.
    guard [0, 6, 9, 11, 13].contains(arguments[1] & ~(ownFlag | realTimeFlag)) else { return nil }
    return (arguments[0], arguments[1] & ownFlag != 0, arguments[3] != 0)
  }

  /// The descriptor of an epoll wait without a limit, for as many events at once as Dispatch asks for.
  var epollWithoutLimit: UInt64? {
    guard let number, Self.epollCalls.contains(number), arguments.count == 6, arguments[2] == 16,
      UInt32(truncatingIfNeeded: arguments[3]) == .max
    else { return nil }
    return arguments[0]
  }

  /// Whether the thread waits for a signal to be handled.
  var suspendsForSignal: Bool { number.map(Self.suspendCalls.contains) ?? false }
}

/// Dispatch's own threads in a process, and its memory.
private struct DispatchThreads {
  private let files: ProcessFiles

  init(_ files: ProcessFiles) { self.files = files }

  /// Whether no other process can reach the memory at an address: it is private and belongs to no file. C++'s futures
  /// and `pthread_join` wait on such memory without the private flag.
  func isOwnMemory(_ address: UInt64) -> Bool {
    for line in (files.text("maps") ?? "").split(separator: "\n") {
      let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      let bounds = fields.first?.split(separator: "-").compactMap { UInt64($0, radix: 16) } ?? []
      guard bounds.count == 2, fields.count >= 5, bounds[0] <= address, address < bounds[1] else { continue }
      return fields[1].hasSuffix("p") && fields[4] == "0"
    }
    return false
  }

  /// Whether the address is in Dispatch's own variables, where its workers' semaphores are. A semaphore of the program
  /// is in the heap.
  func hasWorkerSemaphore(at address: UInt64) -> Bool {
    var end: UInt64 = 0
    for line in (files.text("maps") ?? "").split(separator: "\n") {
      let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
      let bounds = fields.first?.split(separator: "-").compactMap { UInt64($0, radix: 16) } ?? []
      guard bounds.count == 2, fields.count >= 5, fields[1].hasPrefix("rw") else { continue }
      let isDispatch = fields.count == 6 && fields[5].hasSuffix("/libdispatch.so")
      // Variables that begin as 0 follow the mapped file, in memory without a name.
      guard isDispatch || (fields.count == 5 && bounds[0] == end) else { continue }
      if bounds[0] <= address, address < bounds[1] { return true }
      end = isDispatch ? bounds[1] : 0
    }
    return false
  }

  /// Whether this is the epoll of Dispatch's manager, and it watches no descriptor. Then only timers wake it.
  ///
  /// Dispatch marks its own descriptors with 1 (an eventfd for its threads) and with 2, 3 and 4 (timers for the wall
  /// clock, the time awake, and the time since the start). The second timer runs once a second whenever Dispatch has
  /// workers. The program's timers are in the record.
  func isQuietManager(on descriptor: UInt64) -> Bool {
    let watched = (files.text("fdinfo/\(descriptor)") ?? "").split(separator: "\n").filter { $0.hasPrefix("tfd:") }
    var isDispatch = false
    for line in watched {
      let fields = line.split { $0 == " " || $0 == "\t" }
      guard fields.count >= 6, fields[2] == "events:", fields[4] == "data:" else { return false }
      switch fields[5] {
      case "1": isDispatch = true
      case "3": break
      case "2", "4": if !isDisarmed(String(fields[1])) { return false }
      default: return false
      }
    }
    return isDispatch
  }

  private func isDisarmed(_ timer: String) -> Bool {
    (files.text("fdinfo/\(timer)") ?? "").split(separator: "\n").contains { $0.hasPrefix("it_value: (0, 0)") }
  }
}
