import Foundation

/// Finds the parts of a text of which a mail program might make a link. It is simpler and more eager than mail programs
/// are, and knows nothing of the provider's code.
struct Linkifier {
  /// Parts that may be links: the provider's own links, addresses that may be named, and times.
  let allowed: [String]

  private static var kinds: [Regex<Substring>] {
    [
      /\S*:\/\/\S*/, /(?i)\b(?:mailto|tel|sms|callto|javascript|data|ftp|https?):\S+/, /\S*@\S*/, /(?i)\bwww\S+/,
      /\/\/\S+/, /<[^>]*>/,
      // A host's name: labels with a full stop between, and a letter after it.
      /[\p{L}\p{M}\p{N}_-]+\.[\p{N}-]*[\p{L}\p{M}][\p{L}\p{M}\p{N}._\/?=-]*/,
      // A number that can be called.
      /\+?(?:\p{N}[ ().\/-]*){7,}/,
    ]
  }

  /// Returns the parts of a text that may be links and are not allowed.
  func links(in text: String) -> [String] {
    // A mail program may remove what is invisible, and read wide forms like others.
    var plain = String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter {
          !$0.properties.isDefaultIgnorableCodePoint && $0.properties.generalCategory != .format
        })
    ).precomposedStringWithCompatibilityMapping.replacing("\u{3002}", with: ".")
    for part in allowed.sorted(by: { $0.utf8.count > $1.utf8.count }) where !part.isEmpty {
      // Only as a whole: an address within a longer word is another one.
      let whole = plain.ranges(of: part).filter { range in
        let before = plain[..<range.lowerBound].last, after = plain[range.upperBound...].first
        let isEnd = after.map { $0.isWhitespace || ".,:;)".contains($0) } ?? true
        return isEnd && (before.map { $0.isWhitespace || $0 == "(" } ?? true)
      }
      for range in whole.reversed() { plain.replaceSubrange(range, with: "allowed") }
    }
    return Self.kinds.flatMap { kind in plain.matches(of: kind).map { String($0.output) } }
  }
}
