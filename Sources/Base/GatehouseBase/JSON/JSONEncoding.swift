// Encodes a value as JSON without an intermediate text: members are in the order in which they are encoded.

extension JSONValue {
  /// Encodes a value of this package's own types, which encode only JSON's types and values made of them. A `Date` or a
  /// `URL` would encode itself in a form that no reader of the protocol expects.
  ///
  /// - Throws: the errors of `encode(to:)`; `EncodingError.invalidValue` for a number that JSON cannot represent.
  package init(encoding value: some Encodable) throws {
    let place = JSONPlace()
    try place.encode(value)
    self = place.value
  }
}

extension JSONObject {
  /// Encodes a value that is an object; throws `EncodingError.invalidValue` for any other value.
  package init(encoding value: some Encodable) throws {
    guard case .object(let object) = try JSONValue(encoding: value) else {
      throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: "not an object"))
    }
    self = object
  }
}

/// The destination of one value's encoding.
private final class JSONPlace: Encoder, SingleValueEncodingContainer {
  /// The slot for an inner value within this one, which is filled once the inner value is complete.
  private enum Slot { case member(String), element(Int) }

  private var content = JSONValue.null
  /// The containers that were requested within this one.
  private var inner: [(slot: Slot, place: JSONPlace)] = []

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The value; all its containers must be complete.
  var value: JSONValue {
    guard !inner.isEmpty else { return content }
    return inner.reduce(into: content) { value, inner in
      switch (value, inner.slot) {
      case (.object(var object), .member(let name)):
        object[name] = inner.place.value
        value = .object(object)
      case (.array(var array), .element(let index)):
        array[index] = inner.place.value
        value = .array(array)
      default: break
      }
    }
  }

  // A second container for the same value continues the first.

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if content.object == nil { content = .object(JSONObject()) }
    return KeyedEncodingContainer(JSONMembers<Key>(place: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if content.array == nil { content = .array([]) }
    return JSONElements(place: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func set(_ name: String, _ value: JSONValue) {
    guard case .object(var object) = content else { return }
    content = .null
    object[name] = value
    content = .object(object)
  }

  func append(_ value: JSONValue) {
    guard case .array(var array) = content else { return }
    content = .null
    array.append(value)
    content = .array(array)
  }

  var count: Int { content.array?.count ?? 0 }

  func placeOfMember(_ name: String) -> JSONPlace {
    set(name, .null)
    inner.append((.member(name), JSONPlace()))
    return inner[inner.count - 1].place
  }

  func placeOfElement() -> JSONPlace {
    append(.null)
    inner.append((.element(count - 1), JSONPlace()))
    return inner[inner.count - 1].place
  }

  func encodeNil() { content = .null }
  func encode<T: Encodable>(_ value: T) throws { content = try JSONValue(of: value) }
}

extension JSONValue {
  fileprivate init<T: Encodable>(of value: T) throws {
    // Compare types before casting: a failed cast takes longer than writing the value.
    if T.self == String.self, let text = value as? String {
      self = .string(text)
    } else if T.self == Bool.self, let flag = value as? Bool {
      self = .bool(flag)
    } else if T.self == JSONValue.self, let json = value as? JSONValue {
      self = json
    } else if T.self == JSONObject.self, let object = value as? JSONObject {
      self = .object(object)
    } else if Self.isInteger(T.self), let integer = value as? any BinaryInteger {
      self = .number(JSONNumber(integer))
    } else if T.self == Double.self || T.self == Float.self, let number = value as? any BinaryFloatingPoint {
      guard let number = JSONNumber(Double(number)) else {
        throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: "JSON has no such number"))
      }
      self = .number(number)
    } else {
      let place = JSONPlace()
      try value.encode(to: place)
      self = place.value
    }
  }

  /// Whether a type is an integer type of the standard library, which encodes itself as a number.
  private static func isInteger(_ type: Any.Type) -> Bool {
    type == Int.self || type == Int64.self || type == Int32.self || type == UInt.self || type == UInt64.self
      || type == UInt32.self || type == UInt8.self || type == UInt16.self || type == Int8.self || type == Int16.self
      || type == UInt128.self || type == Int128.self
  }
}

/// The members of an object.
private struct JSONMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let place: JSONPlace
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { place.set(key.stringValue, .null) }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { place.set(key.stringValue, try JSONValue(of: value)) }
  func encode(_ value: String, forKey key: Key) { place.set(key.stringValue, .string(value)) }
  func encode(_ value: Bool, forKey key: Key) { place.set(key.stringValue, .bool(value)) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { place.placeOfMember(key.stringValue).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    place.placeOfMember(key.stringValue).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { place.placeOfMember("super") }
  func superEncoder(forKey key: Key) -> any Encoder { place.placeOfMember(key.stringValue) }
}

/// The elements of an array.
private struct JSONElements: UnkeyedEncodingContainer {
  let place: JSONPlace
  var codingPath: [any CodingKey] { [] }
  var count: Int { place.count }

  func encodeNil() { place.append(.null) }
  func encode<T: Encodable>(_ value: T) throws { place.append(try JSONValue(of: value)) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    place.placeOfElement().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { place.placeOfElement().unkeyedContainer() }
  func superEncoder() -> any Encoder { place.placeOfElement() }
}
