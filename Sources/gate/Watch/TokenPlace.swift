import Dispatch
import GatehouseBase

/// Where a watch puts each fresh token.
enum TokenPlace {
  /// One line for each token, in order.
  case standardOutput(TokenText)
  /// Replaced in one step, and durable, for its owner only (0600). It holds the token alone: other programs send what
  /// is in it.
  case file(TokenFile)

  enum Outcome: Sendable {
    case done
    /// The file cannot be written now; `look` tries again. For standard output the outcome comes later.
    case later
  }

  /// Writes to standard output: a reader that does not read must not keep the watch from ending.
  private static let writer = DispatchQueue(label: "gate.token.output")

  /// - Parameter written: called on another thread when standard output has the line, or has refused it.
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

  /// Looks after the file, once a second.
  ///
  /// - Returns: whether the file is there again after a failure to write it.
  func look() -> Bool {
    guard case .file(let file) = self else { return false }
    return file.look()
  }
}
