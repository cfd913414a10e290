import GatehouseBase
import GatehouseQueues
import GatehouseSystem

/// The audit log of a provider's folder: JSON lines in `audit/audit.jsonl`, readable for its owner only. Any number of
/// processes write to it.
///
/// An event of a user waits in memory, until the batch that it belongs to is written and synced, soon after its call.
/// An event of an administrator is on the disk before the change is committed. A user's call never fails for the log's
/// sake: while it cannot be written, events wait, up to a bound; the number of those that are lost is written to it
/// later.
final class AuditLog: Sendable {
  private struct State: Sendable {
    var waiting: [[UInt8]] = []
    var lost = 0
    /// Whether the last batch could not be written.
    var isFailing = false
  }

  private let home: HomeFolder
  private var path: String { home.path + "/audit" }
  private let options: AuditOptions?
  private let state = Lock(State())

  private static let name = "audit.jsonl"
  /// How many events wait at most.
  private static let mostWaiting = 10_000

  /// - Parameters:
  ///   - home: the provider's folder.
  ///   - options: `nil` for no log.
  init(home: HomeFolder, options: AuditOptions?) {
    self.home = home
    self.options = options
  }

  /// Adds an event to the next batch.
  ///
  /// - Returns: whether a batch waits now for `flush`, which was not so before.
  func note(_ events: [AuditEvent]) -> Bool {
    guard options != nil, !events.isEmpty else { return false }
    let lines = events.map(\.line)
    return state.withLock { state in
      let wasEmpty = state.waiting.isEmpty
      let room = max(Self.mostWaiting - state.waiting.count, 0)
      state.waiting += lines.prefix(room)
      state.lost += max(lines.count - room, 0)
      return wasEmpty
    }
  }

  /// Writes an event, and all that wait; they are on the disk when this returns. Blocks.
  ///
  /// - Throws: `.providerUnavailable` when the log cannot be written: the change must not be made.
  func record(_ event: AuditEvent, at now: Moment) throws(AuthError) { try record([event], at: now) }

  /// Writes events of one change, and all that wait, with one wait for the disk.
  func record(_ events: [AuditEvent], at now: Moment) throws(AuthError) {
    guard options != nil, !events.isEmpty else { return }
    let batch = take()
    do throws(SystemError) {
      try append(batch.lines + events.map(\.line), lost: batch.lost, at: now)
    } catch {
      putBack(batch)
      throw AuthError(
        .providerUnavailable,
        "the audit log cannot be written (\(error)); an administrator's change needs it; nothing was changed")
    }
  }

  /// Whether events wait.
  var hasWaiting: Bool { state.withLock { !$0.waiting.isEmpty || $0.lost > 0 } }

  /// Writes what waits. Blocks.
  ///
  /// - Returns: why it cannot be written, when the batch before could be.
  func flush(at now: Moment) -> String? {
    let batch = take()
    guard !batch.lines.isEmpty || batch.lost > 0 else { return nil }
    do throws(SystemError) {
      try append(batch.lines, lost: batch.lost, at: now)
      state.withLock { $0.isFailing = false }
      return nil
    } catch {
      putBack(batch)
      let isNew = state.withLock { state in
        defer { state.isFailing = true }
        return !state.isFailing
      }
      return isNew ? "the audit log cannot be written: \(error); its events wait" : nil
    }
  }

  private func take() -> (lines: [[UInt8]], lost: Int) {
    state.withLock { state in
      defer { (state.waiting, state.lost) = ([], 0) }
      return (state.waiting, state.lost)
    }
  }

  private func putBack(_ batch: (lines: [[UInt8]], lost: Int)) {
    state.withLock { state in
      let all = batch.lines + state.waiting
      state.waiting = Array(all.prefix(Self.mostWaiting))
      state.lost += batch.lost + all.count - state.waiting.count
    }
  }

  // MARK: The file

  /// Appends lines, and syncs them. What was written of a batch that fails is taken back.
  private func append(_ lines: [[UInt8]], lost: Int, at now: Moment) throws(SystemError) {
    guard let options else { return }
    SlowWork.begins(.file)
    // Not made with the folders above it: a provider's folder that has gone is not begun anew.
    _ = try OpenFolder.own(home.path)
    let folder = try OpenFolder.ownOrMade(path)
    // Held while writing: two batches must not mix, and one process at a time begins a new file.
    let lock = try folder.openOwn("lock", .readingOrMaking, .unwritable)
    guard try lock.lock(patience: 10) else {
      throw SystemError(call: "flock", path: lock.path, number: .wouldWait)
    }
    defer { lock.unlock() }
    var bytes = lost > 0 ? AuditEvent.lostLine(lost, at: now) : []
    for line in lines { bytes += line }
    if let size = try folder.status(of: Self.name)?.size, size > 0, size + bytes.count > options.maximumBytes {
      try rotate(folder, keeping: options.keptFiles)
    }
    let file = try folder.openOwn(Self.name, .appending, .secret)
    let size = try file.status().size
    do throws(SystemError) {
      // A process that was killed may have left a part of a line.
      let last = size > 0 ? try file.read(at: UInt64(size - 1), count: 1) : []
      let isTorn = !last.isEmpty && last != [UInt8(ascii: "\n")]
      try file.write(isTorn ? [UInt8(ascii: "\n")] + bytes : bytes)
      try file.sync()
    } catch {
      try? file.cut(to: size)
      throw error
    }
    if size == 0 { try folder.sync() }
  }

  /// Gives each file the next number, and removes the last one.
  private func rotate(_ folder: borrowing OpenFolder, keeping files: Int) throws(SystemError) {
    for number in stride(from: files - 1, through: 1, by: -1) {
      _ = try ifThere { () throws(SystemError) in
        try folder.rename("audit.\(number).jsonl", to: "audit.\(number + 1).jsonl")
      }
    }
    try folder.rename(Self.name, to: "audit.1.jsonl")
    try folder.sync()
  }
}
