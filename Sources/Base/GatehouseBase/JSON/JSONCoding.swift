// For JSON values inside `Codable` types. A decoder reads the text by its own rules and loses the order of members, so
// signed text must be read with `init(parsing:)`.

extension JSONValue: Codable {
  /// Decodes any JSON value; throws the decoder's errors.
  public init(from decoder: any Decoder) throws {
    if let object = try? decoder.container(keyedBy: AnyCodingKey.self) {
      self = .object(try JSONObject(object))
    } else if var elements = try? decoder.unkeyedContainer() {
      var array: [JSONValue] = []
      while !elements.isAtEnd { array.append(try elements.decode(JSONValue.self)) }
      self = .array(array)
    } else {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        self = .null
      } else if let bool = try? value.decode(Bool.self) {
        self = .bool(bool)
      } else if let number = try? value.decode(JSONNumber.self) {
        self = .number(number)
      } else {
        self = .string(try value.decode(String.self))
      }
    }
  }

  /// Encodes the value as it is.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let object): try object.encode(to: encoder)
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value): try value.encode(to: encoder)
    case .number(let value): try value.encode(to: encoder)
    case .string(let value): try value.encode(to: encoder)
    }
  }
}

extension JSONObject: Codable {
  /// Decodes an object with its members sorted by name: a decoder does not preserve the order of the text.
  public init(from decoder: any Decoder) throws { try self.init(decoder.container(keyedBy: AnyCodingKey.self)) }

  /// Sorts the members by name: a decoder has no other stable order.
  fileprivate init(_ container: KeyedDecodingContainer<AnyCodingKey>) throws {
    self.init()
    for name in container.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
      self[name.stringValue] = try container.decode(JSONValue.self, forKey: name)
    }
  }

  /// Encodes the members.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: AnyCodingKey.self)
    for member in members { try container.encode(member.value, forKey: AnyCodingKey(stringValue: member.name)) }
  }
}

extension JSONNumber: Codable {
  /// Decodes a number.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let integer = try? container.decode(Int64.self) {
      self.init(integer)
    } else if let integer = try? container.decode(UInt64.self) {
      self.init(integer)
    } else if let number = JSONNumber(try container.decode(Double.self)) {
      self = number
    } else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "JSON has no such number")
    }
  }

  /// Encodes the number, as an integer if it is one.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let integer = Int64(text) {
      try container.encode(integer)
    } else if let integer = UInt64(text) {
      try container.encode(integer)
    } else {
      try container.encode(double)
    }
  }
}

/// A coding key with any text.
private struct AnyCodingKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
