import Gatehouse
import GatehouseBase
import GatehouseSystem

/// Where a watch puts each fresh token.
enum TokenPlace: Sendable {
  /// One line for each token, written when `put` returns.
  case standardOutput(TokenText)
  /// Replaced in one step, and durable, for its owner only (0600).
  case file(String, TokenText)

  func put(_ token: String) throws(AuthError) {
    switch self {
    case .standardOutput(let text): try StandardOutput.write(line: text.text(of: token))
    case .file(let path, let text):
      try FileOutput.write(Array(text.text(of: token).utf8), to: path, .ownerOnly, replacing: true)
    }
  }
}
