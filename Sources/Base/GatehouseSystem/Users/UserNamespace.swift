import Glibc

/// The users and groups that this process's user namespace maps.
///
/// The kernel shows each user that the namespace does not map as the overflow user, 65534 by default, and each group
/// as the overflow group. So where a map is incomplete, these identifiers mean "unknown": two files or processes that
/// have them may belong to two users, and neither to this process's.
///
/// This is the one place that compares an identifier with this process's own (`IdentityComparisonsTests`).
package struct UserNamespace: Sendable, Hashable {
  /// The user ID that means "unknown"; `nil` if the namespace maps every user.
  package let unknownUser: UInt32?
  /// The group ID that means "unknown"; `nil` if the namespace maps every group.
  package let unknownGroup: UInt32?

  /// This process's namespace. A process with several threads cannot enter another one.
  package static let current = UserNamespace(reading: Self.kernelText)

  /// Reads a file that the kernel answers from memory. Not through `systemCall`: the first comparison of an identifier
  /// makes these calls, whichever that is, and none of them is slow.
  private static func kernelText(at path: String) -> String? {
    // `unsafe`, here and below: the kernel reads the path up to its zero byte, and writes at most the buffer's count.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // A map has 340 lines at most.
    var (text, part) = ([UInt8](), [UInt8](repeating: 0, count: 16 << 10))
    while true {
      let count = unsafe part.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0, text.count < 64 << 10 else { return count < 0 ? nil : String(decoding: text, as: UTF8.self) }
      text += part.prefix(count)
    }
  }

  /// - Parameter read: returns the text of a file of the kernel; `nil` if it cannot be read.
  package init(reading read: (_ path: String) -> String?) {
    // A kernel without user namespaces has a status and no maps. Without `/proc`, no map is known to be complete.
    let hasMaps = read("/proc/self/uid_map") != nil || read("/proc/self/status") == nil
    func unknown(_ map: String, _ overflow: String) -> UInt32? {
      guard hasMaps, !Self.isComplete(read(map) ?? "") else { return nil }
      return read(overflow).flatMap { UInt32($0.prefix { $0.isNumber }) } ?? 65534
    }
    unknownUser = unknown("/proc/self/uid_map", "/proc/sys/kernel/overflowuid")
    unknownGroup = unknown("/proc/self/gid_map", "/proc/sys/kernel/overflowgid")
  }

  /// Whether a map has all identifiers. Each line is a range: the first identifier here, the first one outside, and the
  /// count. 4294967295 is not an identifier.
  private static func isComplete(_ map: String) -> Bool {
    let ranges = map.split(separator: "\n").compactMap { line -> (begin: UInt64, end: UInt64)? in
      let numbers = line.split(separator: " ").compactMap { UInt32($0) }
      return numbers.count == 3 ? (UInt64(numbers[0]), UInt64(numbers[0]) + UInt64(numbers[2])) : nil
    }
    var end: UInt64 = 0
    for range in ranges.sorted(by: { $0.begin < $1.begin }) {
      guard range.begin <= end else { return false }
      end = max(end, range.end)
    }
    return end >= UInt64(UInt32.max)
  }

  /// Returns a user ID from the kernel; `nil` if it means "unknown".
  package func known(user: UInt32) -> UInt32? { user == unknownUser || user == .max ? nil : user }

  /// Returns a group ID from the kernel; `nil` if it means "unknown".
  package func known(group: UInt32) -> UInt32? { group == unknownGroup || group == .max ? nil : group }

  /// Whether a known user is the one that this program runs as.
  package static func isOwn(_ user: UInt32?) -> Bool { user != nil && user == current.known(user: geteuid()) }
}
