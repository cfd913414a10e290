import Dispatch
import GatehouseBase
package import Logging
import Runtime

/// Reports synchronous calls that were made on the work queue itself: once for each call site.
///
/// Such a call comes from a `deinit` that ran there, or from a closure that should not have. It is answered, but the
/// caller has a bug: elsewhere the same line waits, here it does not. In strict mode it stops the process.
package enum CallInPlace {
  private struct State: Sendable {
    /// The innermost frames of the calls that were seen. A site has several: our own ways to run a block are among them.
    var stacks: Set<[UInt64]> = []
    var sites: Set<String> = []
    var logger: (@Sendable () -> Logger?)?
  }

  private static let state = Lock(State())
  private static let reporter = BackgroundQueue(label: "gatehouse.reports", width: 1)

  /// Where reports go: the log of the `Auth` that was made last.
  package static func use(_ logger: @escaping @Sendable () -> Logger?) {
    // The old one goes outside the lock: what it holds may be the app's.
    let old = state.withLock { state in
      defer { state.logger = logger }
      return state.logger
    }
    withExtendedLifetime(old) {}
  }

  static func report(_ name: StaticString, on executor: SerialQueueExecutor) {
    executor.meter.noteCallInPlace()
    let running = executor.meter.snapshot.running?.name ?? "a block"
    let stack = try? Backtrace.capture(limit: 40)
    let frames = stack.map { $0.frames.prefix(8).map { UInt64($0.adjustedProgramCounter) ?? 0 } } ?? []
    let label = executor.queue.label
    // What strict mode is asked for: the caller's bug ends the process, with its name.
    if StrictMode.isOn { fatalError(message(name, label, running, asking(in: stack))) }
    let logger = state.withLock { state in state.stacks.insert(frames).inserted ? state.logger : nil }
    guard let logger else { return }
    reporter.start {
      let asking = asking(in: stack)
      let isNew = state.withLock { $0.sites.insert("\(name) \(asking)").inserted }
      if isNew { logger()?.warning("\(message(name, label, running, asking))") }
    }
  }

  /// Names the call, the queue, and both frames: the one that asks and the one that holds the queue.
  private static func message(_ name: StaticString, _ queue: String, _ running: String, _ asking: String) -> String {
    """
    \(name) was called on \(queue) itself and was answered in place. Call it from elsewhere, or use the \
    asynchronous form. Asked by: \(asking). \
    Holding the queue: \(running).
    """
  }

  /// The innermost frame that is a caller's. Takes long.
  private static func asking(in stack: Backtrace?) -> String {
    let symbols = stack?.symbolicated()?.frames.compactMap { $0.symbol } ?? []
    return symbols.first { !$0.isMachinery }?.place ?? "a frame without a name"
  }
}

extension SymbolicatedBacktrace.Symbol {
  /// Whether the frame belongs to this library, Dispatch or the runtime rather than to a caller.
  fileprivate var isMachinery: Bool {
    let ours = ["$s15GatehouseQueues", "$s13GatehouseCore", "$s9Gatehouse", "$sIg", "$s7Runtime", "$s8Dispatch", "_"]
    return rawName.isEmpty || ours.contains { rawName.hasPrefix($0) } || imageName.hasPrefix("lib")
  }

  /// The function, with its file and line where they are known.
  fileprivate var place: String {
    guard let sourceLocation else { return name }
    return "\(name) at \(sourceLocation.path):\(sourceLocation.line)"
  }
}
