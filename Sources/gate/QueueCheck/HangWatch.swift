import GatehouseWaits

/// What is known about the hangs of all watched processes, from one look to the next.
struct HangWatch {
  private let limit: Duration
  private var detectors: [Int32: StallDetector] = [:]
  private var current: [Int32: (report: WaitReport, events: [UInt32: UInt64])] = [:]

  /// - Parameter limit: how long a wait must have lasted to be reported.
  init(limit: Duration) { self.limit = limit }

  /// Waits that may only be slow, and that still last. They are notes, and do not change the exit status.
  var notes: [WaitReport] { current.sorted { $0.key < $1.key }.map(\.value.report) }

  /// Examines the next snapshot of a process. Returns what is new in it, or `nil`.
  mutating func look(
    at snapshot: ProcessSnapshot, _ names: () -> WaitNames, system: () -> SystemThreads?
  ) -> HangFinding? {
    let process = snapshot.processID
    var detector = detectors[process, default: StallDetector(limit: limit)]
    defer { detectors[process] = detector }
    let sign = detector.look(at: snapshot, system)
    // The process has gone on.
    if !detector.saidSilence { current[process] = nil }
    guard let sign, let finding = snapshot.finding(sign, names()) else { return nil }
    current[process] = finding.isCertain ? nil : (finding.report, snapshot.events)
    return finding
  }

  /// Examines the last snapshot of a process that has ended. Ending a process moves some threads too, so a note stays
  /// if none of its own threads has moved.
  mutating func end(at snapshot: ProcessSnapshot) {
    guard let note = current[snapshot.processID] else { return }
    let events = snapshot.events
    let hasMoved = note.report.waits.contains { note.events[$0.thread] != events[$0.thread] }
    if hasMoved { current[snapshot.processID] = nil }
  }
}

extension ProcessSnapshot {
  /// The number of events of each thread, by its ID. It grows when the thread moves.
  fileprivate var events: [UInt32: UInt64] {
    Dictionary(threads.map { ($0.id, $0.events) }, uniquingKeysWith: { first, _ in first })
  }
}
