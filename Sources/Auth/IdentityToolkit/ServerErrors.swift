public import GatehouseBase

extension AuthError {
  /// The error for a server's message: `CODE` or `CODE : text`.
  ///
  /// An unknown code becomes `.internalError`. `serverCode` keeps the code as the server sent it.
  ///
  /// - Parameters:
  ///   - message: the `error.message` of the server's answer.
  ///   - email: the address that the call was about, if there is one.
  ///   - retryAfter: the time that the server asks to wait, if it does.
  public convenience init(server message: String, email: String? = nil, retryAfter: Duration? = nil) {
    let parts = message.split(separator: ":", maxSplits: 1).map { $0.trimmingPrefix(while: \.isWhitespace) }
    let text = String((parts.first ?? "").prefix { !$0.isWhitespace })
    guard let word = ServerWord(rawValue: text) else {
      self.init(
        .internalError, "the server answered \(message)", email: email, retryAfter: retryAfter, serverCode: text)
      return
    }
    self.init(server: word, parts.count > 1 ? String(parts[1]) : nil, email: email, retryAfter: retryAfter)
  }

  /// The error for a word of the protocol.
  ///
  /// - Parameter detail: the text after the word, for people.
  package convenience init(
    server word: ServerWord, _ detail: String? = nil, email: String? = nil, retryAfter: Duration? = nil
  ) {
    let (code, advice) = word.meaning
    let detail = detail.flatMap { $0.isEmpty ? nil : $0 }
    let message = detail.map { $0 == ServerWord.otherRecipient ? $0 : "\(advice): \($0)" } ?? advice
    self.init(
      code, message, email: email, retryAfter: retryAfter,
      serverCode: word.rawValue,
      serverDetail: detail)
  }

  /// An error with a code and a message of its own, for a word of the protocol.
  package convenience init(_ code: Code, _ message: String, server word: ServerWord, email: String? = nil) {
    self.init(
      code, message, email: email, retryAfter: nil, serverCode: word.rawValue, serverDetail: message)
  }

  /// The word that a server or provider refused the call with; `nil` for a word that the protocol does not know.
  package var serverWord: ServerWord? { serverCode.flatMap { ServerWord(rawValue: $0) } }
}
