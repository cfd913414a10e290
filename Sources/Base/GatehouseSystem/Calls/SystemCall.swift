import GatehouseBase
import Glibc

/// Makes a system call. All system calls of this module go through this function.
///
/// - It reports slow work, so that no call runs on a queue that must stay quick.
/// - It rejects text with a zero byte (`EINVAL`): the kernel would see only the part before it.
/// - It repeats a call that a signal interrupted.
/// - It turns -1 into an error with the call's name and path.
///
/// - Parameters:
///   - call: the name of the call: `open`, `fsync`, …
///   - path: the path, for errors.
///   - texts: the strings that `body` passes to the kernel.
///   - body: makes the call; returns -1 and sets `errno` on failure.
@discardableResult
func systemCall<R: SignedInteger>(
  _ call: String, _ path: String, passing texts: String..., body: () -> R
) throws(SystemError) -> R {
  SlowWork.begins(.file)
  guard !texts.contains(where: { $0.utf8.contains(0) }) else {
    throw SystemError(call: call, path: path, number: .invalid)
  }
  while true {
    let fault = SystemFaults.fault(at: call, path)
    let result = fault == nil ? body() : -1
    if result >= 0 { return result }
    let number = fault ?? ErrorNumber(rawValue: errno)
    if number != .interrupted { throw SystemError(call: call, path: path, number: number) }
  }
}
