/// A JSON value. Equality compares strings as UTF-8 bytes, numbers as written, and objects including the order of
/// members.
public enum JSONValue: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number, as written.
  case number(JSONNumber)
  /// A string, unescaped.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object.
  case object(JSONObject)
}

extension JSONValue {
  /// Whether this is `null`.
  public var isNull: Bool { if case .null = self { true } else { false } }
  /// The Boolean value, if this is one.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The number, if this is one.
  public var number: JSONNumber? { if case .number(let value) = self { value } else { nil } }
  /// The number as an integer, if it is one that fits.
  public var integer: Int64? { number?.integer }
  /// The number as a finite `Double`, if this is one.
  public var double: Double? { number?.double }
  /// The text, if this is a string.
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The elements, if this is an array.
  public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
  /// The object, if this is one.
  public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

  /// A member of this object; `nil` if this is not an object or has no such member.
  public subscript(_ name: String) -> JSONValue? { object?[name] }
}

extension JSONValue: Hashable {
  /// Whether both are the same JSON; strings are compared as bytes.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.isExactly(right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .string(let value): value.hashExactly(into: &hasher)
    case .array(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An integer.
  public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
  /// `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// An array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// An object. If a name occurs twice, the last value is used.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    var object = JSONObject()
    for (name, value) in elements { object[name] = value }
    self = .object(object)
  }
}
