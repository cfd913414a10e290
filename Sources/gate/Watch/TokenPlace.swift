import Dispatch
import GatehouseBase

/// Where a watch puts each fresh token.
enum TokenPlace {
  /// One line for each token, in order.
  case standardOutput(TokenText)
  /// Replaced in one step, and durable, for its owner only (0600).
  case file(TokenFile, TokenText)

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
    case .file(let file, let text): return try file.put(text.text(of: token)) ? .done : .later
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
  /// - Returns: whether a fresh token that could not be written before is in the file now.
  func look() -> Bool {
    guard case .file(let file, _) = self else { return false }
    return file.look()
  }
}
