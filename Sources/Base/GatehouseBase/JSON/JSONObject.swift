/// A JSON object that preserves the order of its members and compares their names as UTF-8 bytes.
///
/// Names are unique. A look-up is a linear search, which suits the small objects of tokens and keys.
public struct JSONObject: Sendable, Hashable {
  /// One member.
  public struct Member: Sendable {
    /// The name, unescaped.
    public let name: String
    /// The value.
    public let value: JSONValue
  }

  /// The members in order.
  public private(set) var members: [Member] = []

  /// Creates an empty object.
  public init() {}

  /// Creates an object. If a name occurs twice, the last value is used.
  public init(_ members: KeyValuePairs<String, JSONValue>) {
    for (name, value) in members { self[name] = value }
  }

  /// Creates an object of texts, each found to be new by its hash; `nil` if a name occurs twice.
  package init?(distinct items: [(name: String, value: String)]) {
    var names: Set<[UInt8]> = []
    for item in items {
      Steps.add(1)
      guard names.insert(Array(item.name.utf8)).inserted else { return nil }
      append(new: item.name, .string(item.value))
    }
  }

  /// The number of members.
  public var count: Int { members.count }
  /// Whether there are no members.
  public var isEmpty: Bool { members.isEmpty }
  /// The names, in order.
  public var names: [String] { members.map(\.name) }

  /// A member's value; `nil` if there is none. Setting a new name appends a member; setting `nil` removes it.
  public subscript(_ name: String) -> JSONValue? {
    get {
      Steps.add(members.count)
      return members.first { $0.name.isExactly(name) }?.value
    }
    set {
      Steps.add(members.count)
      let index = members.firstIndex { $0.name.isExactly(name) }
      switch (index, newValue) {
      case (let index?, let value?): members[index] = Member(name: name, value: value)
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(name: name, value: value))
      case (nil, nil): break
      }
    }
  }

  /// For the parser, which has checked that no member has this name.
  mutating func append(new name: String, _ value: JSONValue) { members.append(Member(name: name, value: value)) }
}

extension JSONObject.Member: Hashable {
  /// Whether names and values are the same; names compare as bytes.
  public static func == (left: Self, right: Self) -> Bool {
    left.name.isExactly(right.name) && left.value == right.value
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    name.hashExactly(into: &hasher)
    value.hash(into: &hasher)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Creates an object. If a name occurs twice, the last value is used.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    for (name, value) in elements { self[name] = value }
  }
}
