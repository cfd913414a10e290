import GatehouseBase
import GatehouseQueues
import GatehouseSystem

/// The audit log of a provider's folder: JSON lines in one file for each series of events, such as
/// `audit/security.jsonl`. They are readable only by their owner. Any number of processes write to them.
///
/// A user's event waits in memory until its batch is written and synced, soon after its call. An administrator's event
/// is on the disk before the change is committed. A user's call never fails because of the log: while the log cannot be
/// written, events wait, up to a limit. The number of lost events is written to the log later. Each series has its own
/// limit, so a flood of sign-ups or refusals loses no other event.
///
/// What an administrator is given is like a change: its event is on the disk before the answer. An administrator's
/// other calls are only counted, by credential, call and minute (decision 152).
final class AuditLog: Sendable {
  private typealias Series = AuditEvent.Series

  /// The lines that wait for one series of files.
  private struct Batch: Sendable {
    var lines: [[UInt8]] = []
    var lost = 0

    var isEmpty: Bool { lines.isEmpty && lost == 0 }

    /// - Parameter most: the maximum number of waiting lines.
    mutating func add(_ new: some Collection<[UInt8]>, most: Int) {
      let room = max(most - lines.count, 0)
      lines += new.prefix(room)
      lost += max(new.count - room, 0)
    }
  }

  private struct State: Sendable {
    var waiting: [Series: Batch] = [:]
    var shares = SecurityShares()
    /// Whether the last batch could not be written.
    var isFailing = false

    var hasWaiting: Bool { waiting.values.contains { !$0.isEmpty } }
  }

  private let home: HomeFolder
  private let options: AuditOptions?
  private let state = Lock(State())
  /// Apart from the waiting lines, so that a count waits for no other call's event.
  private let counts = Lock(CallCounts())
  /// The credential of the program that holds the provider.
  let holder: AdministratorCredential

  /// - Parameters:
  ///   - home: the provider's folder.
  ///   - options: the settings; `nil` for no log.
  ///   - holder: the credential of the program that holds the provider.
  init(home: HomeFolder, options: AuditOptions?, holder: AdministratorCredential) {
    self.home = home
    self.options = options
    self.holder = holder
  }

  /// Adds an event to the next batch.
  ///
  /// - Returns: Whether this began a new batch, which now waits for `flush`.
  func note(_ events: [AuditEvent], at now: Moment) -> Bool {
    guard options != nil else { return false }
    // No other call may follow one that was counted in an earlier minute.
    return add(counts.withLock { $0.takeEnded(at: now) } + events, at: now)
  }

  /// Counts a call that has no event of its own, or a refused credential.
  ///
  /// - Returns: Whether a new batch began, which now waits for `flush`.
  func count(_ key: CallCounts.Key, isRefused: Bool = false, at now: Moment) -> Bool {
    guard options != nil else { return false }
    return add(counts.withLock { $0.add(key, isRefused: isRefused, at: now) }, at: now)
  }

  private func add(_ events: [AuditEvent], at now: Moment) -> Bool {
    guard !events.isEmpty else { return false }
    let lines = events.map { ($0, $0.line) }
    return state.withLock { state in
      let wasEmpty = !state.hasWaiting
      for (event, line) in lines {
        let series = state.shares.series(of: event, at: now)
        state.waiting[series, default: Batch()].add(CollectionOfOne(line), most: series.mostWaiting)
      }
      return wasEmpty
    }
  }

  /// Writes the event of an administrator's change, or of what an administrator is given. It is on the disk when this
  /// returns. Blocks.
  ///
  /// - Throws: `.providerUnavailable` if the log cannot be written. The change must not be made then, and nothing be
  ///   given out.
  func record(_ event: AuditEvent, at now: Moment) throws(AuthError) { try record([event], at: now) }

  /// Writes the events of one change, with one wait for the disk.
  func record(_ events: [AuditEvent], at now: Moment) throws(AuthError) {
    guard options != nil, !events.isEmpty else { return }
    let trace = AuditTrace.current
    let credential = (trace?.credential ?? holder).json
    do throws(SystemError) {
      try append(events.map { $0.caused(by: credential).line }, lost: 0, to: .administration, at: now)
    } catch {
      throw AuthError(
        .providerUnavailable,
        "the audit log cannot be written (\(error)); an administrator's call needs it; nothing was changed or given out"
      )
    }
    trace?.recorded()
  }

  /// Writes all that waits, and what was counted in the current minute. Blocks. For the end of the provider.
  func finish(at now: Moment) {
    _ = add(counts.withLock { $0.take() }, at: now)
    if state.withLock({ $0.hasWaiting }) { _ = flush(at: now) }
  }

  /// Writes the waiting events. Blocks.
  ///
  /// - Returns: The reason why the log cannot be written, if the previous batch could be written.
  func flush(at now: Moment) -> String? {
    var fault: SystemError?
    var hasWritten = false
    for series in Series.allCases {
      let batch = take(series)
      guard !batch.isEmpty else { continue }
      do throws(SystemError) {
        try append(batch.lines, lost: batch.lost, to: series, at: now)
        hasWritten = true
      } catch {
        putBack(batch, to: series)
        fault = error
      }
    }
    guard let fault else {
      if hasWritten { state.withLock { $0.isFailing = false } }
      return nil
    }
    let isNew = state.withLock { state in
      defer { state.isFailing = true }
      return !state.isFailing
    }
    return isNew ? "the audit log cannot be written: \(fault); its events wait" : nil
  }

  private func take(_ series: Series) -> Batch {
    state.withLock { $0.waiting.removeValue(forKey: series) ?? Batch() }
  }

  private func putBack(_ batch: Batch, to series: Series) {
    state.withLock { state in
      let later = state.waiting[series] ?? Batch()
      var all = batch
      all.add(later.lines, most: series.mostWaiting)
      all.lost += later.lost
      state.waiting[series] = all
    }
  }

  // MARK: The file

  /// Appends lines, and syncs them. If that fails, the file is truncated to its previous length.
  private func append(
    _ lines: [[UInt8]], lost: Int, to series: Series, at now: Moment
  ) throws(SystemError) {
    guard let options else { return }
    SlowWork.begins(.file)
    // In the open folder, so that a deleted provider's folder is not created again.
    let folder = try OpenFolder.own(home.path).ownOrMade("audit")
    // Held while writing: two batches must not mix, and only one process at a time may begin a new file.
    let lock = try folder.openOwn("lock", .readingOrMaking, .unwritable)
    guard try lock.lock(patience: 10) else {
      throw SystemError(call: "flock", path: lock.path, number: .wouldWait)
    }
    defer { lock.unlock() }
    var bytes = lost > 0 ? AuditEvent.lostLine(lost, at: now) : []
    for line in lines { bytes += line }
    let name = "\(series.rawValue).jsonl"
    if let size = try folder.status(of: name)?.size, size > 0, size + bytes.count > options.maximumBytes {
      try rotate(series, in: folder, options, at: now)
    }
    let file = try folder.openOwn(name, .appending, .secret)
    let size = try file.status().size
    do throws(SystemError) {
      // A killed process may have left an incomplete line.
      let last = size > 0 ? try file.read(at: UInt64(size - 1), count: 1) : []
      let isTorn = !last.isEmpty && last != [UInt8(ascii: "\n")]
      try file.write(isTorn ? [UInt8(ascii: "\n")] + bytes : bytes)
      if series.isSynced { try file.sync() }
    } catch {
      try? file.cut(to: size)
      throw error
    }
    if size == 0, series.isSynced { try folder.sync() }
  }

  /// Ends a full file.
  private func rotate(
    _ series: Series, in folder: borrowing OpenFolder, _ options: AuditOptions, at now: Moment
  ) throws(SystemError) {
    if series.isKeptForTime {
      try date(series, in: folder, options, at: now)
    } else {
      try number(series, in: folder, keeping: options.keptFiles)
    }
    try folder.sync()
  }

  /// Names a full file after the time, and removes the files that were full too long ago.
  private func date(
    _ series: Series, in folder: borrowing OpenFolder, _ options: AuditOptions, at now: Moment
  ) throws(SystemError) {
    let name = series.rawValue
    do throws(SystemError) { try folder.move("\(name).jsonl", to: "\(name).\(now.fileName).jsonl") } catch {
      // Two files in one millisecond, or the clock was set back: the file goes on, and takes a later name.
      guard error.number == .exists else { throw error }
    }
    // The names sort by time.
    let full = try folder.names().filter { $0.hasPrefix("\(name).") && $0.hasSuffix("Z.jsonl") }.sorted()
    let oldest = "\(name).\(now.before(options.keptTime).fileName).jsonl"
    let excess = series == .security ? max(full.count - options.keptFiles * AuditOptions.securityFactor, 0) : 0
    for (index, file) in full.enumerated() where index < excess || file < oldest { try folder.remove(file) }
  }

  /// Renames each full file to the next number, and replaces the last one.
  private func number(
    _ series: Series, in folder: borrowing OpenFolder, keeping files: Int
  ) throws(SystemError) {
    let name = series.rawValue
    for number in stride(from: files - 1, through: 1, by: -1) {
      _ = try ifThere { () throws(SystemError) in
        try folder.rename("\(name).\(number).jsonl", to: "\(name).\(number + 1).jsonl")
      }
    }
    try folder.rename("\(name).jsonl", to: "\(name).1.jsonl")
  }
}

extension AuditEvent.Series {
  /// The maximum number of waiting events while the log cannot be written.
  fileprivate var mostWaiting: Int { self == .refusals || self == .reads ? 1000 : 10_000 }
}

extension Moment {
  /// The time as a part of a file's name: `2027-01-15T080000.250Z`.
  fileprivate var fileName: String { rfc3339Milliseconds.filter { $0 != ":" } }

  fileprivate func before(_ duration: Duration) -> Moment {
    Moment(seconds: max(seconds - duration.wholeSeconds, 0))
  }
}
