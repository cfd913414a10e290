import Glibc

/// Notes about the ends of processes, for `scripts/test`: the test that started a process may overlook them.
///
/// Swift Testing drops the standard error of an exit test's child unless the test observes it, and a test that expects
/// a failure may get another one.
package struct EndNotes: Sendable {
  /// The notes in the folder that `GATEHOUSE_END_NOTES` names. Without a folder there are none.
  package static let shared = EndNotes(
    folder: unsafe getenv("GATEHOUSE_END_NOTES").map { unsafe String(cString: $0) })

  private let folder: String?

  package init(folder: String?) { self.folder = folder }

  /// Notes that a process hung. The run fails.
  package func add(hang: String) { append(hang, to: "hangs") }

  /// Notes that a program crashed. If the test fails, the run fails.
  package func add(crash: String, in testID: String) { append("\(testID)\t\(crash)\n", to: "crashes") }

  private func append(_ text: String, to name: String) {
    guard let folder else { return }
    let file = unsafe open("\(folder)/\(name)", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    unsafe text.withCString { unsafe _ = write(file, $0, strlen($0)) }
    close(file)
  }
}
