package import GatehouseBase
package import IdentityToolkit

/// The one form in which the documents of administrators are stored.
///
/// As in every request, the name of a member may be in snake case, a Boolean and a number may be a string, and a value
/// of an enumeration may be its number. A member that has an effect here and cannot be read is refused: stored as it
/// came, it would have no effect, and the protection that it asks for would be missing. Members without an effect stay
/// as they are.
///
/// A document of a server that is not an emulator's has no member that asks for a protection without effect, and none
/// that is unknown here, because it could ask for one (decision 135).
package indirect enum DocumentForm: Sendable {
  case bool
  case number
  case text
  /// A value of an enumeration: its names, in the order of their numbers.
  case choice([String])
  case object([String: DocumentForm])
  case list(DocumentForm)
  /// A value that is only stored. It protects nothing.
  case any
  /// A protection that the provider does not have: the values that do not ask for it, and what to do instead.
  case missing(DocumentForm, unless: [JSONValue], advice: String)

  /// The form of a kind of document.
  static func of(_ kind: ResourceKind) -> DocumentForm {
    switch kind {
    case .project: project
    case .tenant: tenant
    case .oauthIdpConfig: openIDConnect
    case .inboundSamlConfig: saml
    }
  }

  /// Returns a document in its one form.
  ///
  /// - Throws: `INVALID_CONFIG` for a member that cannot be read.
  func normal(_ document: JSONObject) throws(AuthError) -> JSONObject {
    try normal(.object(document), "").object ?? [:]
  }

  /// Returns the names of a path in a document in their one spelling.
  func normal(path: [String]) -> [String] {
    guard let first = path.first, case .object(let members) = self else { return path }
    let name = members[first.camelCased] == nil ? first : first.camelCased
    return [name] + (members[name] ?? .any).normal(path: Array(path.dropFirst()))
  }

  /// Whether a path ends at a member, and does not lead into a list or a plain value.
  func has(path: [String]) -> Bool {
    guard let first = path.first else { return true }
    switch self {
    case .object(let members): return (members[first] ?? .any).has(path: Array(path.dropFirst()))
    case .missing(let form, _, _): return form.has(path: path)
    case .any: return true
    case .bool, .number, .text, .choice, .list: return false
    }
  }

  private func normal(_ value: JSONValue, _ path: String) throws(AuthError) -> JSONValue {
    func refused(_ advice: String) -> AuthError {
      AuthError(.invalidArgument, "\(path) must be \(advice)", server: .invalidConfig)
    }
    switch self {
    case .any: return value
    case .missing(let form, _, _): return try form.normal(value, path)
    case .bool:
      if value.bool != nil { return value }
      guard let text = value.string, let bool = Bool(text) else { throw refused("true or false") }
      return .bool(bool)
    case .number:
      if value.integer != nil { return value }
      guard let text = value.string, let number = Int64(text) else { throw refused("a whole number") }
      return .number(JSONNumber(number))
    case .text:
      guard value.string != nil else { throw refused("a text") }
      return value
    case .choice(let names):
      if let text = value.string, names.contains(text) { return value }
      guard let number = value.integer, names.indices.contains(Int(clamping: number)) else {
        throw refused("one of \(names.joined(separator: ", "))")
      }
      return .string(names[Int(number)])
    case .list(let form):
      guard let items = value.array else { throw refused("a list") }
      var normal: [JSONValue] = []
      for item in items { normal.append(try form.normal(item, path)) }
      return .array(normal)
    case .object(let members):
      guard let object = value.object else { throw refused("an object") }
      return .object(try Self.normal(object, members, path))
    }
  }

  /// Refuses members that ask for a protection that the provider does not have, and unknown members.
  ///
  /// - Parameter document: a document in its one form, or the changed members of one.
  func requireEffect(of document: JSONObject) throws(AuthError) { try requireEffect(of: .object(document), "") }

  private func requireEffect(of value: JSONValue, _ path: String) throws(AuthError) {
    func refused(_ advice: String) -> AuthError {
      AuthError(.invalidArgument, "\(path) \(advice)", server: .invalidConfig)
    }
    switch self {
    case .bool, .number, .text, .choice, .any: return
    case .missing(_, let harmless, let advice):
      guard value.isNull || harmless.contains(value) else { throw refused("would have no effect here: \(advice)") }
    case .list(let form):
      for item in value.array ?? [] { try form.requireEffect(of: item, path) }
    case .object(let members):
      for member in value.object?.members ?? [] {
        let place = path.isEmpty ? member.name : "\(path).\(member.name)"
        guard let form = members[member.name] else {
          throw AuthError(
            .invalidArgument, "\(place.printable()) is no member that this server knows, and would have no effect",
            server: .invalidConfig)
        }
        try form.requireEffect(of: member.value, place)
      }
    }
  }

  /// The paths of all members of a kind of document that have no further members, with whether each is refused if it
  /// asks for a protection, or only stored.
  package static func members(of kind: ResourceKind) -> [(path: String, isMissing: Bool, isOnlyStored: Bool)] {
    of(kind).leaves("")
  }

  private func leaves(_ path: String) -> [(path: String, isMissing: Bool, isOnlyStored: Bool)] {
    switch self {
    case .object(let members):
      members.sorted { $0.key < $1.key }.flatMap { $0.value.leaves(path.isEmpty ? $0.key : "\(path).\($0.key)") }
    case .list(let form): form.leaves(path)
    case .missing: [(path, true, false)]
    case .any: [(path, false, true)]
    default: [(path, false, false)]
    }
  }

  private static func normal(
    _ object: JSONObject, _ members: [String: DocumentForm], _ path: String
  ) throws(AuthError) -> JSONObject {
    var normal = object
    var seen: [String: String] = [:]
    let lowercased = Dictionary(uniqueKeysWithValues: members.keys.map { ($0.lowercased(), $0) })
    for member in object.members {
      let name = member.name.camelCased
      let place = path.isEmpty ? name : "\(path).\(name)"
      func refused(_ advice: String) -> AuthError {
        AuthError(.invalidArgument, "\(member.name.printable()) \(advice)", server: .invalidConfig)
      }
      guard let form = members[name] else {
        if let meant = lowercased[name.lowercased()] { throw refused("is no member; did you mean \(meant)?") }
        continue
      }
      if let other = seen.updateValue(member.name, forKey: name) {
        throw refused("and \(other) are the same member; send one of them")
      }
      normal[member.name] = nil
      if !member.value.isNull { normal[name] = try form.normal(member.value, place) }
    }
    return normal
  }
}

extension JSONObject {
  /// The document without its name, which only the provider sets.
  var nameless: JSONObject {
    var document = self
    document["name"] = nil
    return document
  }
}
