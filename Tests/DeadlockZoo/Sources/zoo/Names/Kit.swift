#if KIT
  import GatehouseQueues
  import GatehouseWaits
  import Glibc

  // What the cases are written with, as GatehouseQueues has it.

  typealias SerialQueue = GatehouseQueues.SerialQueue
  typealias ConcurrentQueue = GatehouseQueues.ConcurrentQueue
  typealias Semaphore = WatchedSemaphore
  typealias Group = GatehouseQueues.Group
  typealias Lock = GatehouseQueues.Lock

  extension SerialQueue {
    /// The kit's queues keep the target that they were made with.
    static func moved(label: String, from _: SerialQueue, to target: SerialQueue) -> SerialQueue {
      SerialQueue(label: label, target: target)
    }
  }

  /// The wait monitor, whose reports are printed when they come: the program may hang later.
  enum Monitor {
    private static let printer = Printer()

    /// - Parameter hangs: whether the program hangs. Otherwise a long wait only says that the machine is busy.
    static func start(hangs: Bool) {
      WaitMonitor.start(.keep, stall: hangs ? .seconds(1) : .seconds(600))
      _ = Thread {
        while true {
          _ = printer.print(reports)
          usleep(50_000)
        }
      }
    }

    /// Ends the program: with 3 if there was a report.
    static func finish() -> Never { exit(printer.print(reports) > 0 ? 3 : 0) }

    /// Without notes, which are no findings.
    private static var reports: [WaitReport] { WaitMonitor.reports.filter { !$0.isNote } }
  }

  /// Prints every report once.
  ///
  /// `@unchecked`: `printed` is touched only while the mutex is held, which is none that the monitor watches.
  private final class Printer: @unchecked Sendable {
    private let mutex = PlainMutex(.normal)
    private var printed = 0

    /// How many were printed by now.
    func print(_ reports: [WaitReport]) -> Int {
      mutex.lock()
      defer { mutex.unlock() }
      for report in reports.dropFirst(printed) { Swift.print(report, terminator: "\n\n") }
      printed = max(printed, reports.count)
      fflush(nil)
      return printed
    }
  }
#endif
