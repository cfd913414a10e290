// A value as JSON without a text between: members come in the order in which they are encoded.

extension JSONValue {
  /// The JSON of a value of this package's own: one that encodes nothing but JSON's types and values made of them. A
  /// `Date` or a `URL` would write itself as no reader of the protocol expects it.
  ///
  /// - Throws: what `encode(to:)` throws; `EncodingError.invalidValue` for a number that JSON cannot write.
  package init(encoding value: some Encodable) throws {
    let place = JSONPlace()
    try place.encode(value)
    self = place.value
  }
}

extension JSONObject {
  /// The same of a value that is an object; any other one throws `EncodingError.invalidValue`.
  package init(encoding value: some Encodable) throws {
    guard case .object(let object) = try JSONValue(encoding: value) else {
      throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: "not an object"))
    }
    self = object
  }
}

/// Where one value is written.
private final class JSONPlace: Encoder, SingleValueEncodingContainer {
  /// Where a value within this one is written, once it is whole.
  private enum Slot { case member(String), element(Int) }

  private var content = JSONValue.null
  /// The containers that were asked for within this one.
  private var inner: [(slot: Slot, place: JSONPlace)] = []

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The value, whose containers are all written.
  var value: JSONValue {
    inner.reduce(into: content) { value, inner in
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

  // A second container of one value goes on with the first.

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
    switch value {
    case let text as String: self = .string(text)
    case let flag as Bool: self = .bool(flag)
    case let integer as any BinaryInteger: self = .number(JSONNumber(integer))
    case let json as JSONValue: self = json
    case let object as JSONObject: self = .object(object)
    case let number as any BinaryFloatingPoint:
      guard let number = JSONNumber(Double(number)) else {
        throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: "JSON has no such number"))
      }
      self = .number(number)
    default:
      let place = JSONPlace()
      try value.encode(to: place)
      self = place.value
    }
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
