import Dispatch
import GatehouseBase

/// Where a watch puts each fresh token.
enum TokenPlace {
  /// Standard output, with one line for each token, in order.
  case standardOutput(TokenText)
  /// A file, replaced in one step and durably, for its owner only (0600). It contains nothing but the token, because
  /// other programs send its content.
  case file(TokenFile)

  enum Outcome: Sendable {
    case done
    /// The file cannot be written now, and `look` tries again. For standard output, the outcome is reported later.
    case later
  }

  /// Writes to standard output, so that a reader that has stopped reading cannot keep the watch from ending.
  private static let writer = DispatchQueue(label: "gate.token.output")

  /// - Parameter written: called on another thread when the line was written to standard output, or could not be.
  func put(
    _ token: String, written: @escaping @Sendable (Result<Void, AuthError>) -> Void
  ) throws(AuthError) -> Outcome {
    switch self {
    case .file(let file): return try file.put(token) ? .done : .later
    case .standardOutput(let text):
      let line = try text.text(of: token)
      Self.writer.async {
        let result: Result<Void, AuthError>
        do throws(AuthError) { result = .success(try StandardOutput.write(line: line)) } catch {
          result = .failure(error)
        }
        written(result)
      }
      return .later
    }
  }

  /// Checks the file, once a second.
  ///
  /// - Returns: whether the file is there again after a failure to write it.
  func look() -> Bool {
    guard case .file(let file) = self else { return false }
    return file.look()
  }
}
