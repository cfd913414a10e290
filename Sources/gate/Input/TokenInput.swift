import GatehouseBase
import GatehouseJOSE
import GatehouseSystem

/// The token that a command is about: an argument, or standard input.
enum TokenInput {
  /// The token. Says on the terminal that it waits for one, and names what a token is often pasted with.
  static func token(_ argument: String?) throws(AuthError) -> String {
    try checked(text(argument, waitsFor: "a token"))
  }

  /// The argument, or the text of standard input; `tokenTooLarge` for one that is longer than any token.
  static func text(_ argument: String?, waitsFor what: String = "a message") throws(AuthError) -> String {
    let limit = TokenLimits.standard.token
    let tooLarge = AuthError(.tokenTooLarge, "the token is longer than \(limit) bytes")
    if let argument {
      guard argument.utf8.count <= limit else { throw tooLarge }
      return argument
    }
    guard InheritedDescriptor.input.isTerminal else { return try Input.standard.line(limit: limit, orElse: tooLarge) }
    StandardError.say("waiting for \(what) on standard input; end it with Enter and Ctrl-D")
    let typed = try Input.standard.line(limit: limit, orElse: tooLarge)
    guard typed.utf8.count < Terminal.longestLine else {
      throw AuthError(
        .tokenMalformed,
        "a terminal gives at most \(Terminal.longestLine - 1) bytes of a line for certain, and the rest may be lost; "
          + "pipe the token in, or give it as an argument")
    }
    // Marks are ASCII: without them UTF-8 stays UTF-8.
    return String(decoding: Array(typed.utf8).withoutPasteMarks, as: UTF8.self)
  }

  /// The text, if it can be a token. Nothing is cut off silently: a program would pass on what we refuse elsewhere.
  private static func checked(_ text: String) throws(AuthError) -> String {
    guard !text.isEmpty else { throw AuthError(.tokenMalformed, "there is no token; give one, or pipe it in") }
    if let scheme = ["bearer ", "dpop ", "authorization:"].first(where: { text.lowercased().hasPrefix($0) }) {
      let word = text.prefix(scheme.count).trimmingSpaces
      throw AuthError(.tokenMalformed, "this begins with \(word); give only the token behind it")
    }
    if let quote = ["\"", "'", "`"].first(where: { text.hasPrefix($0) || text.hasSuffix($0) }) {
      throw AuthError(.tokenMalformed, "the token is in quotes (\(quote)); give it without them")
    }
    guard !text.contains(where: \.isWhitespace) else {
      throw AuthError(
        .tokenMalformed, "there is white space in the token or around it; give the token alone, on one line")
    }
    return text
  }
}

extension Substring {
  fileprivate var trimmingSpaces: Substring { self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)] }
}
