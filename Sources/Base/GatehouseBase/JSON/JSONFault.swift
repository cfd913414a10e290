/// An error in a JSON text, and its offset.
///
/// Returned in two registers by the scanner's functions; an `AuthError` would be passed through memory at every call.
struct JSONFault: Error {
  enum Reason {
    case textTooLong, tooDeep, tooWide, repeatedName
    case trailingBytes, missingName, missingColon, endlessObject, endlessArray
    case endlessString, controlCharacter, notUTF8, unknownEscape, badDigits, halfPair, tooManyMarks
    case noValue, emptyFraction, emptyExponent, infiniteNumber
  }

  let reason: Reason
  let offset: Int

  init(_ reason: Reason, _ offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  /// The error for callers with these limits.
  ///
  /// - Parameter place: the position, for people; defaults to the offset.
  func error(_ limits: JSONLimits, at place: String? = nil) -> AuthError {
    let place = place ?? "byte \(offset)"
    func malformed(_ what: StaticString) -> AuthError {
      AuthError(.jsonMalformed, "invalid JSON at \(place): \(what)")
    }
    return switch reason {
    case .textTooLong: AuthError(.jsonTooLarge, "the JSON is longer than \(limits.bytes) bytes")
    case .tooDeep: AuthError(.jsonTooLarge, "the JSON is nested too deeply")
    case .tooWide:
      AuthError(.jsonTooLarge, "a JSON member name is too long, or an object has too many members")
    case .repeatedName: AuthError(.jsonDuplicateMember, "duplicate JSON member name at \(place)")
    case .trailingBytes: malformed("unexpected data after the value")
    case .missingName: malformed("expected a member name")
    case .missingColon: malformed("expected a colon")
    case .endlessObject: malformed("unterminated object")
    case .endlessArray: malformed("unterminated array")
    case .endlessString: malformed("unterminated string")
    case .controlCharacter: malformed("unescaped control character in a string")
    case .notUTF8: malformed("invalid UTF-8 in a string")
    case .unknownEscape: malformed("unknown escape sequence")
    case .badDigits: malformed("\\u needs four hexadecimal digits")
    case .halfPair: malformed("unpaired surrogate")
    case .tooManyMarks: malformed("a character has more than 30 combining marks")
    case .noValue: malformed("expected a value")
    case .emptyFraction: malformed("a number needs a digit after the decimal point")
    case .emptyExponent: malformed("a number needs a digit in its exponent")
    case .infiniteNumber: malformed("a number does not fit a double")
    }
  }
}
