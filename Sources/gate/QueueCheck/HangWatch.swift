import GatehouseWaits

/// What is known of the hangs of all watched processes, from look to look.
struct HangWatch {
  private let limit: Duration
  private var detectors: [Int32: StallDetector] = [:]
  private var current: [Int32: (report: WaitReport, events: [UInt32: UInt64])] = [:]

  /// - Parameter limit: how long a wait must have lasted.
  init(limit: Duration) { self.limit = limit }

  /// Waits that may only be slow, and last. They are notes: they change no exit status.
  var notes: [WaitReport] { current.sorted { $0.key < $1.key }.map(\.value.report) }

  /// What the next snapshot of a process shows; nil if nothing new.
  mutating func look(
    at snapshot: ProcessSnapshot, _ names: () -> WaitNames, system: () -> SystemThreads?
  ) -> HangFinding? {
    let process = snapshot.processID
    var detector = detectors[process, default: StallDetector(limit: limit)]
    defer { detectors[process] = detector }
    let sign = detector.look(at: snapshot, system)
    // It went on.
    if !detector.saidSilence { current[process] = nil }
    guard let sign, let finding = snapshot.finding(sign, names()) else { return nil }
    current[process] = finding.isCertain ? nil : (finding.report, snapshot.events)
    return finding
  }

  /// Takes in the last snapshot of a process that has ended. Its end moves threads as well, so a note stays if none of
  /// its own threads has moved.
  mutating func end(at snapshot: ProcessSnapshot) {
    guard let note = current[snapshot.processID] else { return }
    let events = snapshot.events
    let hasMoved = note.report.waits.contains { note.events[$0.thread] != events[$0.thread] }
    if hasMoved { current[snapshot.processID] = nil }
  }
}

extension ProcessSnapshot {
  /// For each thread, how often it has moved.
  fileprivate var events: [UInt32: UInt64] {
    Dictionary(threads.map { ($0.id, $0.events) }, uniquingKeysWith: { first, _ in first })
  }
}
