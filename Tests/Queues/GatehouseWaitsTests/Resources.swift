import GatehouseWaits

/// The classes of these tests: odd numbers are queues, even ones are locks, those above 100 are signals.
func testClass(_ id: UInt32) -> ResourceClass {
  if id > 100 { return ResourceClass(.signal, label: "s\(id)", site: "") }
  return ResourceClass(id % 2 == 1 ? .queue : .lock, label: "\(id)", site: "File.swift:\(id)")
}

extension WaitNames {
  /// Names each address as a function: `f1`, `f2`, …
  static let plain = WaitNames(
    resourceClass: testClass,
    stack: { addresses in
      CallStack { addresses.map { WaitReport.Frame(function: "f\($0)", file: "File.swift", line: 1, image: "p") } }
    })
}

/// A resource that is the only one of its class.
func resource(_ id: UInt32, isShared: Bool = false) -> WaitResource {
  WaitResource(instance: UInt64(id), classID: id, isShared: isShared)
}

/// A thread that holds resources and waits for one.
func thread(_ id: UInt32, holds: [WaitResource] = [], waitsFor wait: WaitResource? = nil) -> WatchedThread {
  WatchedThread(
    id: id, isMain: id == 1, wait: wait.map { WatchedThread.Hold($0, at: [2]) },
    holds: holds.map { WatchedThread.Hold($0, at: [1]) })
}
