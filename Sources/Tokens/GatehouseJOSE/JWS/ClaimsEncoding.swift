import FoundationEssentials
public import GatehouseBase

extension JSONObject {
  /// Encodes a type of the caller as the claims of a token.
  ///
  /// Members are sorted by name. A `Date` is a NumericDate (RFC 7519 §2) in whole seconds since 1970, rounded down,
  /// because not every reader accepts fractions. So `iat` is never in the future, and `exp` is never later than
  /// requested. `Data` is base64.
  ///
  /// In an `encode(to:)` of your own, encode times with `container.encode(date, forKey:)`. `date.encode(to: encoder)`
  /// writes seconds since 2001, which a reader takes for a time 31 years earlier, and no encoder can change that.
  ///
  /// Throws `claimInvalid`, with the path, for claims that are not an object, for a number or a time that a token
  /// cannot contain, and for a registered claim of the wrong type. Throws `jsonTooLarge` for claims that a reader with
  /// these limits rejects. Calls `encode(to:)` on the calling thread.
  public init(claims: some Encodable, limits: JSONLimits = .standard) throws {
    let bytes = try Self.encoded(claims)
    let json = try JSONValue(reading: bytes, limits: limits)
    guard let object = json.object else {
      throw AuthError(.claimInvalid, "the claims are not a JSON object; encode a struct or a dictionary")
    }
    _ = try RegisteredClaims(ScannedObject(parsing: bytes, limits: limits))
    self = object
  }

  private static func encoded(_ claims: some Encodable) throws(AuthError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { date, encoder in
      guard let seconds = NumericDate.wholeSeconds(date.wall) else {
        throw EncodingError.invalidValue(date, .init(codingPath: encoder.codingPath, debugDescription: ""))
      }
      var container = encoder.singleValueContainer()
      try container.encode(seconds)
    }
    do {
      return try Array(encoder.encode(claims))
    } catch EncodingError.invalidValue(let value, let context) {
      // Without a path, the error is about all of the claims: the encoder allows 512 levels.
      guard value is Date || value is any FloatingPoint || !context.codingPath.isEmpty else {
        throw AuthError(.claimInvalid, "the claims cannot be encoded, or are nested too deeply")
      }
      let path = context.codingPath.isEmpty ? "a value" : context.codingPath.memberPath
      throw AuthError(
        .claimInvalid,
        value is Date
          ? "\(path) is before 1970 or after the year 9999" : "\(path) is not a value that JSON can have")
    } catch {
      throw AuthError(.claimInvalid, "the claims cannot be encoded")
    }
  }
}
