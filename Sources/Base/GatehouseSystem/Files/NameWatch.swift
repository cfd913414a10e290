import Dispatch
import Glibc
import Synchronization

/// Reports when the object with a name in a folder may have changed, also through other processes of this machine
/// (inotify).
///
/// A missing folder is checked for once a second. If the kernel has no watches left, the file's status is checked once
/// a second instead. Changes by another machine on a network file system may be reported late or never.
package final class NameWatch: Sendable {
  private let id: UInt64

  /// - Parameters:
  ///   - name: the name in the folder.
  ///   - folder: the folder's path; links in it are followed.
  ///   - changed: called on a queue of this module, which it must not block; spurious calls are possible.
  package init(_ name: String, in folder: String, _ changed: @escaping @Sendable () -> Void) {
    id = FolderWatches.shared.add(name, folder, changed)
  }

  /// Ends the watch: `changed` is not called any more, except that a call may be in progress.
  package func end() { FolderWatches.shared.remove(id) }

  deinit { end() }
}

/// All watches of the process. They share one inotify descriptor, because the kernel limits their number.
///
/// `@unchecked`: mutable state is accessed on `queue` only. (A `Mutex` would work, but the thread sanitizer does not
/// recognize it.)
private final class FolderWatches: @unchecked Sendable {
  static let shared = FolderWatches()

  private struct Entry: Sendable {
    let name: String
    let folder: String
    let changed: @Sendable () -> Void
    /// The kernel's watch descriptor for the folder; `nil` while it is not watched.
    var number: Int32?
    /// The status of the name's object at the last check.
    var status: FileStatus?

    var path: String { "\(folder)/\(name)" }
  }

  private let lastID = Atomic<UInt64>(0)
  private var entries: [UInt64: Entry] = [:]
  private var isLooking = false
  private let queue = DispatchQueue(label: "gatehouse.watch")
  /// `nil` if the kernel has none left.
  private let descriptor: Int32?
  private static let mask = [
    IN_MOVED_TO, IN_MOVED_FROM, IN_CREATE, IN_DELETE, IN_CLOSE_WRITE, IN_DELETE_SELF, IN_MOVE_SELF,
  ].reduce(0) { $0 | UInt32($1) }

  private init() {
    descriptor = try? systemCall("inotify_init1", "") { inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)) }
    guard let descriptor else { return }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { [self] in
      _ = source  // never released, like this object
      readEvents(from: descriptor)
    }
    source.activate()
  }

  func add(_ name: String, _ folder: String, _ changed: @escaping @Sendable () -> Void) -> UInt64 {
    let id = lastID.add(1, ordering: .relaxed).newValue
    queue.async {
      self.entries[id] = Entry(name: name, folder: folder, changed: changed)
      self.watch(id)
    }
    return id
  }

  func remove(_ id: UInt64) {
    queue.async {
      guard let number = self.entries.removeValue(forKey: id)?.number else { return }
      // Other names in the same folder share its watch descriptor.
      if !self.entries.values.contains(where: { $0.number == number }) { self.release(number) }
    }
  }

  // MARK: On the queue

  /// Starts watching an entry's folder, or tries again later. Changes that were missed until then are reported.
  private func watch(_ id: UInt64) {
    guard var entry = entries[id], entry.number == nil else { return }
    let before = entry.status
    entry.number = descriptor.flatMap { descriptor in
      try? systemCall("inotify_add_watch", entry.folder, passing: entry.folder) {
        // `unsafe`: the kernel reads the string up to its zero byte; `systemCall` has checked that it contains no
        // other.
        unsafe inotify_add_watch(descriptor, entry.folder, Self.mask)
      }
    }
    entry.status = (try? FileStatus.at(entry.path, followingLink: true)) ?? nil
    entries[id] = entry
    if entry.number != nil || entry.status != before { entry.changed() }
    if entry.number == nil { lookAgain() }
  }

  /// Checks everything that is not watched again in one second.
  private func lookAgain() {
    guard !isLooking else { return }
    isLooking = true
    queue.asyncAfter(deadline: .now() + 1) { [self] in
      isLooking = false
      for id in entries.filter({ $0.value.number == nil }).keys { watch(id) }
    }
  }

  private func release(_ number: Int32) {
    guard let descriptor else { return }
    _ = try? systemCall("inotify_rm_watch", "") { inotify_rm_watch(descriptor, number) }
  }

  private func readEvents(from descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = try? systemCall("read", "") {
        // `unsafe`: the pointer is only used during this call, and the kernel writes at most the given count.
        unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
      }
      guard let count, count > 0 else { return }
      var start = 0
      while start + MemoryLayout<inotify_event>.size <= count {
        // `unsafe`: the kernel has written a complete header here, according to its count.
        let event = unsafe buffer.withUnsafeBytes {
          unsafe $0.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
        }
        let begin = start + MemoryLayout<inotify_event>.size
        let end = min(begin + Int(event.len), count)
        let name = String(decoding: buffer[begin..<end].prefix { $0 != 0 }, as: UTF8.self)
        handle(event, name)
        start = end
      }
    }
  }

  private func handle(_ event: inotify_event, _ name: String) {
    let isLost = event.mask & UInt32(IN_Q_OVERFLOW) != 0
    let isGone = event.mask & (UInt32(IN_IGNORED) | UInt32(IN_MOVE_SELF) | UInt32(IN_DELETE_SELF)) != 0
    var told: [@Sendable () -> Void] = []
    var gone: [UInt64] = []
    for (id, entry) in entries where isLost || entry.number == event.wd {
      if isGone {
        entries[id]?.number = nil
        gone.append(id)
      }
      if isLost || isGone || entry.name == name { told.append(entry.changed) }
    }
    // The folder was moved to another path.
    if event.mask & UInt32(IN_MOVE_SELF) != 0 { release(event.wd) }
    for changed in told { changed() }
    for id in gone { watch(id) }
  }
}
