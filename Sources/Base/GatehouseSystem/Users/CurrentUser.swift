import Glibc

/// The user that this program runs as.
package enum CurrentUser {
  /// The user whose rights this program has. Throws if it runs as the user that means "unknown" here.
  package static var id: UInt32 {
    get throws(SystemError) { try requireKnown(geteuid(), in: .current) }
  }

  package static func requireKnown(_ id: UInt32, in namespace: UserNamespace) throws(SystemError) -> UInt32 {
    guard let user = namespace.known(user: id) else {
      throw SystemError(
        unsafe: "stands for every user that this user namespace does not map (/proc/self/uid_map), so that strangers "
          + "cannot be told from this program; run it as another user of the namespace, such as USER 1000 in a "
          + "container, or outside of the namespace", path: "user \(id)")
    }
    return user
  }

  /// The user's identifier, for messages only.
  static var text: String { "\(geteuid())" }

  /// Whether this program runs as root, also as that of a user namespace.
  static var isRoot: Bool { geteuid() == 0 }

  /// The name of the user whose rights this program has; `nil` if the system knows none.
  package static var name: String? {
    var buffer = [CChar](repeating: 0, count: 16_384)
    var entry = unsafe passwd()
    // `unsafe`: the call writes the entry and its texts, which lie in the buffer and are copied before this returns.
    return unsafe buffer.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return nil }
      var found: UnsafeMutablePointer<passwd>?
      guard unsafe getpwuid_r(geteuid(), &entry, start, buffer.count, &found) == 0, unsafe found != nil,
        let name = unsafe entry.pw_name
      else { return nil }
      return unsafe String(validatingCString: name)
    }
  }
}
