import GatehouseBase

/// The header fields of a request or a response, in order. Names compare without regard to case (RFC 9110 §5.1), and a
/// name may occur more than once.
public struct TransportHeaders: Sendable, Hashable {
  /// One header field.
  public struct Field: Sendable, Hashable {
    /// The name, as it was written.
    public let name: String
    /// The value, without the space around it.
    public let value: String

    /// Makes a field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// All fields, in order.
  public private(set) var fields: [Field]

  /// Makes a list of fields, in this order.
  public init(_ fields: [Field] = []) { self.fields = fields }

  /// Appends a field, whether or not there is one with the same name.
  public mutating func add(_ name: String, _ value: String) { fields.append(Field(name, value)) }

  /// The values of all fields with a name, in order.
  public func values(of name: String) -> [String] {
    Steps.add(fields.count)
    return fields.filter { Self.isSame($0.name, name) }.map(\.value)
  }

  /// The value of the first field with a name. Setting it replaces all of them, and `nil` removes them.
  public subscript(_ name: String) -> String? {
    get {
      Steps.add(fields.count)
      return fields.first { Self.isSame($0.name, name) }?.value
    }
    set {
      let index = fields.firstIndex { Self.isSame($0.name, name) }
      fields.removeAll { Self.isSame($0.name, name) }
      if let newValue { fields.insert(Field(name, newValue), at: index ?? fields.endIndex) }
    }
  }

  /// Whether two names are the same.
  package static func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8) { $0.lowercased == $1.lowercased }
  }
}

extension TransportHeaders: ExpressibleByDictionaryLiteral {
  /// Makes a list of fields in the order of the literal. A name may occur more than once.
  public init(dictionaryLiteral elements: (String, String)...) { self.init(elements.map { Field($0.0, $0.1) }) }
}

extension TransportHeaders: CustomStringConvertible, CustomReflectable {
  /// All names, and the values of harmless fields: see `Field.description`.
  public var description: String { "TransportHeaders(\(fields.map(\.description).joined(separator: ", ")))" }
  /// The same members, and no others.
  public var customMirror: Mirror {
    Mirror(self, children: fields.map { (label: $0.printedName, value: $0.printedValue ?? "…") })
  }
}

extension TransportHeaders.Field: CustomStringConvertible, CustomReflectable {
  /// The name and the value. The value is `…` unless the field is known to hold no secret, such as `Content-Type`.
  /// Cookies, tokens and keys are in fields of many names.
  public var description: String { "\(printedName): \(printedValue.map { "\"\($0)\"" } ?? "…")" }
  /// The same members, and no others.
  public var customMirror: Mirror { Mirror(self, children: ["name": printedName, "value": printedValue ?? "…"]) }

  fileprivate var printedName: String { name.printable() }

  /// `nil` for a value that may be secret.
  fileprivate var printedValue: String? {
    Self.harmless.contains(String(decoding: name.utf8.map(\.lowercased), as: UTF8.self)) ? value.printable() : nil
  }

  /// Fields about the form and the caching of a message. They say nothing about a user, a session or a key.
  private static let harmless: Set<String> = [
    "accept", "accept-encoding", "age", "allow", "cache-control", "connection", "content-encoding", "content-language",
    "content-length", "content-type", "date", "expires", "last-modified", "retry-after", "transfer-encoding", "vary",
  ]
}

extension TransportHeaders.Field {
  /// Whether the field can be sent as it is: the name is a token, and the value has no line breaks or other control
  /// characters (RFC 9110 §5.5). A line break would end the field and begin another one.
  var isWellFormed: Bool {
    !name.isEmpty && name.utf8.allSatisfy(\.isTokenCharacter)
      && value.utf8.allSatisfy { $0 == 0x09 || (0x20...0x7E).contains($0) || $0 >= 0x80 }
  }
}

extension UInt8 {
  /// The lowercase form of an uppercase ASCII letter; every other byte is unchanged.
  package var lowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }

  /// Whether this is an ASCII letter or digit.
  package var isLetterOrDigit: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased) || isDigit
  }

  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  /// Whether an HTTP token may contain this byte (RFC 9110 §5.6.2).
  package var isTokenCharacter: Bool { isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}
