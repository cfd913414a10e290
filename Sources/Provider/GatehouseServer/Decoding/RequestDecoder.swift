import GatehouseBase

/// Decodes a call from JSON as tolerantly as Google's servers do.
///
/// A member may be in camel or snake case. A number may be a string and a string a number; a Boolean may be a string; a
/// word of an enumeration may be its number. `null` is the same as a missing member, and unknown members are ignored.
/// A member in both spellings is refused.
/// The parser has already refused text that two readers could interpret differently.
struct RequestDecoder: Decoder {
  let value: JSONValue
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ value: JSONValue, at path: [any CodingKey] = []) {
    self.value = value
    codingPath = path
  }

  /// Decodes a value.
  static func decode<T: Decodable>(_ type: T.Type, from object: JSONObject) throws -> T {
    try RequestDecoder(.object(object)).decode(type)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let object = value.object else { throw mismatch([String: Any].self) }
    return KeyedDecodingContainer(Members(object, codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let array = value.array else { throw mismatch([Any].self) }
    return Elements(array, codingPath)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  fileprivate func mismatch(_ type: Any.Type) -> DecodingError {
    .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "not a value of this type"))
  }
}

extension RequestDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { value.isNull }

  func decode(_ type: Bool.Type) throws -> Bool {
    switch value {
    case .bool(let value): return value
    case .string("true"): return true
    case .string("false"): return false
    default: throw mismatch(type)
    }
  }

  func decode(_ type: String.Type) throws -> String {
    switch value {
    case .string(let text):
      // SQLite ends a text there, so it would name something else than it says. A password is hashed whole.
      guard !text.utf8.contains(0) else { throw mismatch(type) }
      return text
    case .number(let number): return number.text
    default: throw mismatch(type)
    }
  }

  func decode(_ type: Double.Type) throws -> Double {
    guard let number = value.double ?? value.string.flatMap(Double.init), number.isFinite else { throw mismatch(type) }
    return number
  }

  func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
  func decode(_ type: Int.Type) throws -> Int { try integer() }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
  func decode(_ type: UInt.Type) throws -> UInt { try integer() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

  private func integer<I: FixedWidthInteger>() throws -> I {
    let number = value.integer ?? value.string.flatMap { Int64($0) }
    guard let number, let integer = I(exactly: number) else { throw mismatch(I.self) }
    return integer
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    // JSON is passed on unchanged, because a decoder would lose the order of its members. Types are compared before a
    // cast: a failed cast takes longer than reading the value.
    if type == JSONValue.self, let json = value as? T { return json }
    if type == JSONObject.self, let object = value.object as? T { return object }
    if type == Secret.self, let text = value.string, let secret = Secret(text) as? T { return secret }
    guard let number = value.number, let enumeration = type as? any ProtoEnumeration.Type else {
      return try T(from: self)
    }
    guard let word = number.integer.flatMap({ enumeration.word($0) }) else { throw mismatch(type) }
    return try T(from: RequestDecoder(.string(word), at: codingPath))
  }
}

/// The members of an object.
private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let object: JSONObject
  let codingPath: [any CodingKey]

  init(_ object: JSONObject, _ path: [any CodingKey]) {
    self.object = object
    codingPath = path
  }

  var allKeys: [Key] { object.names.compactMap { Key(stringValue: $0) } }
  func contains(_ key: Key) -> Bool { object.member(key.stringValue) != nil }

  func decodeNil(forKey key: Key) throws -> Bool {
    try object.requireOneSpelling(of: key.stringValue)
    return !contains(key)
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder(of: key).decode(type) }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder(of: key).decode(type) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder(of: key).decode(type) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try decoder(of: key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(of: key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { RequestDecoder(.object(object), at: codingPath) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(of: key) }

  private func decoder(of key: Key) throws -> RequestDecoder {
    try object.requireOneSpelling(of: key.stringValue)
    guard let value = object.member(key.stringValue) else {
      throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "no such member"))
    }
    return RequestDecoder(value, at: codingPath + [key])
  }
}

/// The elements of an array.
private struct Elements: UnkeyedDecodingContainer {
  private let array: [JSONValue]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(_ array: [JSONValue], _ path: [any CodingKey]) {
    self.array = array
    codingPath = path
  }

  var count: Int? { array.count }
  var isAtEnd: Bool { currentIndex >= array.count }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, array[currentIndex].isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().decode(type) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
  mutating func superDecoder() throws -> any Decoder { try next() }

  private mutating func next() throws -> RequestDecoder {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(Any.self, .init(codingPath: codingPath, debugDescription: "no more elements"))
    }
    Steps.add(1)
    defer { currentIndex += 1 }
    return RequestDecoder(array[currentIndex], at: codingPath)
  }
}
