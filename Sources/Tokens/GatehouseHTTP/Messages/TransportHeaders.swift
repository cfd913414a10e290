/// The header fields of a request or an answer, in order. Names compare without regard to case (RFC 9110 §5.1), and one
/// name may occur more than once.
public struct TransportHeaders: Sendable, Hashable {
  /// One header field.
  public struct Field: Sendable, Hashable {
    /// The name, as it was written.
    public let name: String
    /// The value, without the space around it.
    public let value: String

    /// A field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// All fields, in order.
  public private(set) var fields: [Field]

  /// Header fields in this order.
  public init(_ fields: [Field] = []) { self.fields = fields }

  /// Adds a field at the end, whether or not there is one of its name.
  public mutating func add(_ name: String, _ value: String) { fields.append(Field(name, value)) }

  /// The values of all fields of a name, in order.
  public func values(of name: String) -> [String] { fields.filter { Self.isSame($0.name, name) }.map(\.value) }

  /// The value of the first field of a name. Setting replaces all of them, and `nil` removes them.
  public subscript(_ name: String) -> String? {
    get { fields.first { Self.isSame($0.name, name) }?.value }
    set {
      let index = fields.firstIndex { Self.isSame($0.name, name) }
      fields.removeAll { Self.isSame($0.name, name) }
      if let newValue { fields.insert(Field(name, newValue), at: index ?? fields.endIndex) }
    }
  }

  private static func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8) { $0.lowercased == $1.lowercased }
  }
}

extension TransportHeaders: ExpressibleByDictionaryLiteral {
  /// Header fields in the order of the literal; a name may occur more than once.
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

  /// Fields that say how a message is written and kept, and nothing of a user, a session or a key.
  private static let harmless: Set<String> = [
    "accept", "accept-encoding", "age", "allow", "cache-control", "connection", "content-encoding", "content-language",
    "content-length", "content-type", "date", "expires", "last-modified", "retry-after", "transfer-encoding", "vary",
  ]
}

extension TransportHeaders.Field {
  /// Whether the field can be sent as it is: a token, and a value without line breaks and other control characters
  /// (RFC 9110 §5.5). A line break would end the field and begin one of the caller's choice.
  var isWellFormed: Bool {
    !name.isEmpty && name.utf8.allSatisfy(\.isTokenCharacter)
      && value.utf8.allSatisfy { $0 == 0x09 || (0x20...0x7E).contains($0) || $0 >= 0x80 }
  }
}

extension UInt8 {
  /// The lowercase letter of an uppercase one in ASCII; every other byte is unchanged.
  package var lowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }

  /// Whether this is a letter or digit of ASCII.
  package var isLetterOrDigit: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased) || isDigit
  }

  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  /// Whether a token of HTTP may hold this byte (RFC 9110 §5.6.2).
  package var isTokenCharacter: Bool { isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}
