package import Configuration

/// The kind of a setting's value, and its limits.
package enum SettingKind: Sendable {
  /// `true` or `false`.
  case flag
  case number(ClosedRange<Int>)
  case powerOfTwo(ClosedRange<Int>)
  /// Whole seconds, written with a unit; or a word for an unlimited duration.
  case duration(ClosedRange<Int64>, orWord: String? = nil)
  /// A text with a length in bytes.
  case text(ClosedRange<Int>)
  case choice([String])
  /// A list of texts, without empty texts or duplicates.
  case list

  /// The type that a reader is asked for.
  package var type: ConfigType {
    switch self {
    case .flag: .bool
    case .number, .powerOfTwo: .int
    case .duration, .text, .choice: .string
    case .list: .stringArray
    }
  }

  /// The allowed values, for errors and documents: `a whole number from 1 to 64`.
  package var allowed: String {
    switch self {
    case .flag: "true or false"
    case .number(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .powerOfTwo(let range): "a power of two from \(range.lowerBound) to \(range.upperBound)"
    case .duration(let range, let word):
      "a duration from \(SettingDuration.text(range.lowerBound)) to \(SettingDuration.text(range.upperBound))"
        + (word.map { ", or \($0)" } ?? "")
    case .text(let range): "a text of \(range.lowerBound) to \(range.upperBound) bytes"
    case .choice(let words): words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    case .list: "a list of texts, none empty and none twice"
    }
  }

  /// Returns the value, if it is allowed.
  func value(of content: ConfigContent) -> SettingValue? {
    switch (self, content) {
    case (.flag, .bool(let value)): .flag(value)
    case (.number(let range), .int(let value)): range.contains(value) ? .number(value) : nil
    case (.powerOfTwo(let range), .int(let value)):
      range.contains(value) && value.nonzeroBitCount == 1 ? .number(value) : nil
    case (.duration(let range, let word), .string(let text)):
      text == word
        ? .duration(nil) : SettingDuration.seconds(text).flatMap { range.contains($0) ? .duration(.seconds($0)) : nil }
    case (.text(let range), .string(let text)):
      range.contains(text.utf8.count) && !text.utf8.contains(0) ? .text(text) : nil
    case (.choice(let words), .string(let text)): words.contains(text) ? .text(text) : nil
    case (.list, .stringArray(let texts)):
      texts.exactly.count == texts.count && !texts.contains("") ? .list(texts) : nil
    default: nil
    }
  }
}

/// The value of a setting.
package enum SettingValue: Sendable, Hashable {
  case flag(Bool)
  case number(Int)
  /// A duration; `nil` for an unlimited one.
  case duration(Duration?)
  case text(String)
  case list([String])
}

/// The text form of durations: a whole number and a unit.
enum SettingDuration {
  private static let units: [(name: String, seconds: Int64)] = [("d", 86400), ("h", 3600), ("min", 60), ("s", 1)]

  /// Returns the seconds of `90 s`, `5 min`, `1 h` or `30 d`, with or without the space; `nil` for any other text.
  static func seconds(_ text: String) -> Int64? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    // Twelve digits of days do not overflow.
    guard (1...12).contains(digits.count), let count = Int64(digits) else { return nil }
    let rest = text[digits.endIndex...]
    let unit = rest.first == " " ? rest.dropFirst() : rest
    return units.first { $0.name == unit }.map { count * $0.seconds }
  }

  /// Returns the duration in the largest unit that is exact.
  static func text(_ seconds: Int64) -> String {
    let unit = seconds == 0 ? nil : units.first { seconds % $0.seconds == 0 }
    return unit.map { "\(seconds / $0.seconds) \($0.name)" } ?? "\(seconds) s"
  }
}
