extension JSONValue {
  /// Parses one JSON text strictly: rejects text that two parsers could read differently.
  ///
  /// Rejects duplicate names in one object, compared after unescaping (`jsonDuplicateMember`); anything beyond `limits`
  /// (`jsonTooLarge`); and with `jsonMalformed` a byte order mark, invalid UTF-8, half a surrogate pair, raw control
  /// characters, characters with more than 30 combining marks (comparing them would take quadratic time), numbers
  /// beyond a `Double`, anything after the value, and everything else that RFC 8259 does not allow. Error messages
  /// contain offsets, never content.
  public init(parsing bytes: some Sequence<UInt8>, limits: JSONLimits = .standard) throws {
    try self.init(reading: bytes, limits: limits)
  }

  package init(reading bytes: some Sequence<UInt8>, limits: JSONLimits = .standard) throws(AuthError) {
    let bytes = Array(bytes)
    var scanner = JSONScanner(limits: limits)
    try scanner.scan(bytes.span)
    var builder = JSONBuilder(bytes)
    self = builder.value()
  }
}

extension JSONObject {
  /// Parses one JSON object, as strictly as `JSONValue.init(parsing:limits:)`.
  public init(parsing bytes: some Sequence<UInt8>, limits: JSONLimits = .standard) throws {
    try self.init(reading: bytes, limits: limits)
  }

  package init(reading bytes: some Sequence<UInt8>, limits: JSONLimits = .standard) throws(AuthError) {
    guard case .object(let object) = try JSONValue(reading: bytes, limits: limits) else {
      throw AuthError(.jsonMalformed, "expected a JSON object")
    }
    self = object
  }
}
