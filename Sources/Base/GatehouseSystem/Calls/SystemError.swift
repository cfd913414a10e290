/// An error in using a file, a folder, a terminal or a program. The only error type of this module.
///
/// The description contains the call, the path and the system's error number, or the command to run. It never contains
/// file content.
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Reason: Sendable, Hashable {
    /// A system call failed.
    case failed(call: String, ErrorNumber)
    /// The object at the path is not safe to use: a link, a pipe, another user's file, or open to others. The text
    /// completes a sentence that begins with the path, and says what to do.
    case unsafe(String)
  }

  /// The path of the call; empty for a call without one.
  package let path: String
  package let reason: Reason

  init(unsafe words: String, path: String) {
    self.path = path
    reason = .unsafe(words)
  }

  package init(call: String, path: String, number: ErrorNumber) {
    self.path = path
    reason = .failed(call: call, number)
  }

  /// Whether the error means that the object at the path is not safe to use.
  package var isUnsafe: Bool {
    if case .unsafe = reason { true } else { false }
  }

  /// The system's error number; `nil` for an unsafe object.
  ///
  /// Not inlined: a `catch` that reads it and rethrows the error crashes the compiler in release builds (Swift 6.3.1).
  package var number: ErrorNumber? {
    @inline(never) get { if case .failed(_, let number) = reason { number } else { nil } }
  }

  /// `No space left on device (write /home/ada/token, error 28)`, or `/home/ada/token is a symbolic link, …`.
  package var description: String {
    switch reason {
    case .failed(let call, let number):
      "\(number.words) (\(path.isEmpty ? call : "\(call) \(path)"), error \(number.rawValue))"
    case .unsafe(let words): "\(path) \(words)"
    }
  }
}

/// Returns the result of `body`; `nil` if the system reports that the file or folder does not exist.
package func ifThere<T: ~Copyable>(_ body: () throws(SystemError) -> T) throws(SystemError) -> T? {
  do throws(SystemError) { return try body() } catch {
    guard error.number == .noSuchFile else { throw error }
    return nil
  }
}
