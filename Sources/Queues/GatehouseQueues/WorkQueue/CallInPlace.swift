import Dispatch
import GatehouseBase
package import Logging

/// Reports synchronous calls that were made on the work queue itself, once for each call site.
///
/// Such a call comes from a `deinit` that ran there, or from a closure that should not have. It is answered, but the
/// caller has a bug: elsewhere the same line waits, here it does not. In strict mode it stops the process.
/// A report walks the stack's frames, by frame pointers and within the stack. Unlike `Backtrace.capture`, it never
/// follows an asynchronous function's context: the `deinit` may run because that very context is being destroyed, and
/// then the context holds garbage. Names are looked up in the background, once for each stack.
package enum CallInPlace {
  private struct State: Sendable {
    /// The innermost return addresses of the calls that were seen. One site has several stacks, because the library's
    /// own ways to run a block are in them.
    var stacks: Set<[UInt]> = []
    var sites: Set<String> = []
    var logger: (@Sendable () -> Logger?)?
  }

  private static let state = Lock(State())
  private static let reporter = BackgroundQueue(label: "gatehouse.reports", width: 1)

  /// Sets the log for reports: that of the `Auth` that was made last.
  package static func use(_ logger: @escaping @Sendable () -> Logger?) {
    // Release the old one outside the lock: it may hold the app's objects.
    let old = state.withLock { state in
      defer { state.logger = logger }
      return state.logger
    }
    withExtendedLifetime(old) {}
  }

  static func report(_ name: StaticString, on executor: SerialQueueExecutor) {
    let running = executor.meter.noteCallInPlace() ?? "a block"
    let stack = callers()
    let label = executor.queue.label
    // In strict mode, the caller's bug stops the process, with its name.
    if StrictMode.isOn { fatalError(message(name, label, running, asking(in: stack))) }
    let logger = state.withLock { state in
      state.logger != nil && state.stacks.insert(Array(stack.prefix(8))).inserted ? state.logger : nil
    }
    guard let logger else { return }
    reporter.async {
      let asking = asking(in: stack)
      let isNew = state.withLock { $0.sites.insert("\(name) \(asking)").inserted }
      if isNew { logger()?.warning("\(message(name, label, running, asking))") }
    }
  }

  /// Names the call, the queue, and both frames: the caller's, and that of the block that holds the queue.
  private static func message(
    _ name: StaticString, _ queue: String, _ running: StaticString, _ asking: String
  ) -> String {
    """
    \(name) was called on \(queue) itself and was answered in place. Call it from elsewhere, or use the \
    asynchronous form. Asked by: \(asking). \
    Holding the queue: \(running).
    """
  }

  /// The innermost frame that belongs to a caller. Slow.
  private static func asking(in stack: [UInt]) -> String {
    Symbols.symbols(stack).first { !$0.isMachinery }?.place ?? "a frame without a name"
  }
}

extension ImageSymbol {
  /// Whether the frame belongs to this library, Dispatch or the runtime rather than to a caller.
  fileprivate var isMachinery: Bool {
    let ours = ["$s15GatehouseQueues", "$s13GatehouseCore", "$s9Gatehouse", "$sIg", "$s7Runtime", "$s8Dispatch", "_"]
    return rawName.isEmpty || ours.contains { rawName.hasPrefix($0) } || image.hasPrefix("lib")
  }

  /// The function, with its file and line where they are known.
  fileprivate var place: String {
    guard let file, let line else { return name }
    return "\(name) at \(file):\(line)"
  }
}
