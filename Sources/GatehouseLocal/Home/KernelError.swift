import GatehouseBase
import Glibc

/// A call to the kernel that failed, and why.
struct KernelError: Error, Sendable {
  let number: Int32

  /// Why the latest call of this thread failed. Ask at once: the next call may overwrite it.
  static var latest: KernelError { KernelError(number: errno) }

  /// The kernel's words for it.
  var reason: String {
    var text = [CChar](repeating: 0, count: 128)
    // `unsafe`: the call is given the array's own size; the GNU form may answer with a constant instead.
    return unsafe text.withUnsafeMutableBufferPointer { buffer in
      guard let start = unsafe strerror_r(number, buffer.baseAddress, buffer.count) else { return "error \(number)" }
      return unsafe String(cString: start)
    }
  }

  /// The refusal that this is, with what we were about.
  func refusal(_ attempt: String) -> AuthError {
    // A link where there must be none is not a broken disk: somebody put it there.
    if number == ELOOP { return AuthError(.providerUnsafe, "cannot \(attempt): it is a symbolic link") }
    return AuthError(.providerUnavailable, "cannot \(attempt): \(reason)")
  }
}
