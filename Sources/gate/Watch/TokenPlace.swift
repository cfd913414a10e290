import GatehouseBase

/// Where a watch puts each fresh token.
enum TokenPlace {
  /// One line for each token, written when `put` returns.
  case standardOutput(TokenText)
  /// Replaced in one step, and durable, for its owner only (0600).
  case file(TokenFile, TokenText)

  enum Outcome: Sendable {
    case done
    /// The file cannot be written now; `look` tries again.
    case later
    /// No program reads standard output any more.
    case readerGone
  }

  func put(_ token: String) throws(AuthError) -> Outcome {
    switch self {
    case .file(let file, let text): return try file.put(text.text(of: token)) ? .done : .later
    case .standardOutput(let text):
      do throws(AuthError) { try StandardOutput.write(line: text.text(of: token)) } catch {
        guard error == StandardOutput.readerGone else { throw error }
        return .readerGone
      }
      return .done
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
