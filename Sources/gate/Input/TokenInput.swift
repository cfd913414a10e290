import GatehouseBase
import GatehouseJOSE
import GatehouseSystem

/// Reads the token that a command is about, from an argument or from standard input.
enum TokenInput {
  /// Reads the token. On a terminal it says that it is waiting for a token, and its errors name what often comes along
  /// when a token is pasted.
  static func token(_ argument: String?) throws(AuthError) -> String {
    try checked(text(argument, waitsFor: "a token"))
  }

  /// Returns the argument, or the text of standard input. Throws `tokenTooLarge` for text that is longer than any
  /// token.
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
    // The marks are ASCII, so the text stays UTF-8 without them.
    return String(decoding: Array(typed.utf8).withoutPasteMarks, as: UTF8.self)
  }

  /// Returns the text if it can be a token. Nothing is cut off silently, because a program would otherwise pass on a
  /// token that is refused elsewhere.
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
    let bytes = Array(text.utf8)
    guard bytes.withoutPasteMarks.count == bytes.count else {
      throw AuthError(
        .tokenMalformed, "the marks of a terminal's paste (ESC [200~, ESC [201~) are around the token; remove them")
    }
    // Most of these characters are invisible, so the user cannot see what is wrong with the token.
    if let foreign = text.unicodeScalars.first(where: { !(0x20..<0x7F).contains($0.value) }) {
      let number = String(foreign.value, radix: 16, uppercase: true)
      let code = String(repeating: "0", count: max(0, 4 - number.count)) + number
      throw AuthError(.tokenMalformed, "the token holds U+\(code), a character that no token has; copy it again")
    }
    return text
  }
}

extension Substring {
  fileprivate var trimmingSpaces: Substring { self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)] }
}
