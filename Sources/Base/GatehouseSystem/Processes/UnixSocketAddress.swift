import Glibc

/// The address of a Unix socket in the kernel's format.
struct UnixSocketAddress {
  private var address = sockaddr_un()
  private let length: socklen_t

  /// - Parameters:
  ///   - name: the socket's path, or a zero byte followed by an abstract name.
  ///   - path: the path, for errors.
  init(_ name: [UInt8], _ path: String) throws(SystemError) {
    let isAbstract = name.first == 0
    // `unsafe`, here and below: the accessed bytes have the length that is checked or passed.
    guard !name.isEmpty, name.count < MemoryLayout.size(ofValue: address.sun_path), isAbstract || !name.contains(0)
    else { throw SystemError(call: "connect", path: path, number: .nameTooLong) }
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
    length = socklen_t(MemoryLayout<sa_family_t>.size + name.count + (isAbstract ? 0 : 1))
  }

  /// Passes the address to a system call.
  func withPointer<Result>(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    unsafe withUnsafePointer(to: address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe call($0, length) }
    }
  }
}
