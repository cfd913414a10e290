import GatehouseBase
import GatehouseJOSE
import GatehouseSystem

/// The token that a command is about: an argument, or standard input.
enum TokenInput {
  /// The token. Says on the terminal that it waits for one, and names what a token is often pasted with.
  static func token(_ argument: String?) throws(AuthError) -> String {
    if let argument { return try checked(argument) }
    if InheritedDescriptor.input.isTerminal {
      StandardError.say("waiting for a token on standard input; end it with Enter and Ctrl-D")
    }
    return try checked(Input.standard.line(limit: TokenLimits.standard.token))
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
