/// Counts the combining marks that follow each other in a text.
///
/// Strings are equal in Swift if they are canonically equivalent. Each comparison, hash and `switch` sorts the marks of
/// a character for that, in quadratic time: 20,000 marks in 40 kB take 0.4 s. A text of strangers is therefore read in
/// Unicode's stream-safe format only (UAX #15, section 13), which has at most 30 marks in a row. No language needs more
/// than a few.
package struct CombiningMarks {
  package static let mostInRow = 30
  private var count = 0

  package init() {}

  /// Returns whether the text is still in the format with this character.
  package mutating func admit(_ character: Unicode.Scalar) -> Bool {
    // Below are no marks.
    guard character.value >= 0x300, character.properties.canonicalCombiningClass != .notReordered else {
      count = 0
      return true
    }
    count += 1
    return count <= Self.mostInRow
  }

  /// Notes characters that are no marks.
  package mutating func end() { count = 0 }
}

extension String {
  /// Whether the text is in the stream-safe format, so that comparing it takes linear time.
  package var isStreamSafe: Bool {
    guard utf8.contains(where: { $0 >= 0x80 }) else { return true }
    var marks = CombiningMarks()
    return unicodeScalars.allSatisfy { marks.admit($0) }
  }
}
