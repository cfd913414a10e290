/// What is wrong with a text that is read as JSON, and where.
///
/// A scanner's functions hand it on in two registers; an `AuthError` would go through memory at every call.
struct JSONFault: Error {
  enum Reason {
    case textTooLong, tooDeep, tooWide, repeatedName
    case trailingBytes, missingName, missingColon, endlessObject, endlessArray
    case endlessString, controlCharacter, notUTF8, unknownEscape, badDigits, halfPair
    case noValue, emptyFraction, emptyExponent, infiniteNumber
  }

  let reason: Reason
  let place: Int

  init(_ reason: Reason, _ place: Int) {
    self.reason = reason
    self.place = place
  }

  /// As callers hear of it, who set these limits.
  func error(_ limits: JSONLimits) -> AuthError {
    switch reason {
    case .textTooLong: AuthError(.jsonTooLarge, "the JSON is longer than \(limits.bytes) bytes")
    case .tooDeep: AuthError(.jsonTooLarge, "the JSON nests too deep")
    case .tooWide:
      AuthError(.jsonTooLarge, "the JSON has a name that is too long, or an object with too many members")
    case .repeatedName: AuthError(.jsonDuplicateMember, "the JSON names one member twice, at byte \(place)")
    case .trailingBytes: malformed("something follows the value")
    case .missingName: malformed("a member's name is missing")
    case .missingColon: malformed("a colon is missing")
    case .endlessObject: malformed("an object does not end")
    case .endlessArray: malformed("an array does not end")
    case .endlessString: malformed("a string does not end")
    case .controlCharacter: malformed("a string holds a control character")
    case .notUTF8: malformed("a string is not UTF-8")
    case .unknownEscape: malformed("an escape is unknown")
    case .badDigits: malformed("an escape wants four hexadecimal digits")
    case .halfPair: malformed("half a surrogate pair")
    case .noValue: malformed("this is no value")
    case .emptyFraction: malformed("a number ends in its point")
    case .emptyExponent: malformed("a number ends in its exponent")
    case .infiniteNumber: malformed("a number is too large")
    }
  }

  private func malformed(_ what: StaticString) -> AuthError {
    AuthError(.jsonMalformed, "not strict JSON at byte \(place): \(what)")
  }
}
