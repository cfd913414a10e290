import GatehouseBase

// Forms and queries, which the limits of JSON bound as well.
extension ServerRequest {
  /// Whether the body is a form.
  var isForm: Bool {
    guard let value = value(of: .contentType) else { return false }
    let type = value.utf8.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let form = "application/x-www-form-urlencoded".utf8
    return type.count >= form.count && zip(type, form).allSatisfy { $0 == $1 || $0 | 0x20 == $1 && $1 >= 0x61 }
  }

  /// Returns the items of the body, which is a form.
  func form(_ limits: JSONLimits) throws(Refusal) -> [(name: String, value: String)] {
    guard let text = String(validating: body, as: UTF8.self) else { throw .of(.malformed, "form") }
    // curl sends what it is given as a form, and such a form has no member that a call knows.
    guard !text.looksLikeJSON else { throw .jsonAsForm }
    let items: [(name: String, value: String)]
    do throws(FormFault) { items = try FormEncoding.decode(text, limits: limits) } catch { throw .of(error, "form") }
    guard items.first?.name.looksLikeJSON != true else { throw .jsonAsForm }
    return items
  }

  /// Returns the items of the query.
  func queryItems(_ limits: JSONLimits) throws(Refusal) -> [(name: String, value: String)] {
    guard let query else { return [] }
    let items: [(name: String, value: String)]
    do throws(FormFault) { items = try FormEncoding.decode(query, limits: limits) } catch { throw .of(error, "query") }
    var spellings: [ExactText: String] = [:]
    for (name, _) in items {
      let known = spellings.updateValue(name, forKey: ExactText(name.camelCased))
      guard known?.isExactly(name) ?? true else {
        throw .invalid("the query has a parameter in two spellings; send one of them")
      }
    }
    // SQLite ends a text there, so it would name something else than it says.
    guard !items.contains(where: { $0.value.utf8.contains(0) }) else { throw .of(.malformed, "query") }
    return items
  }
}

extension String {
  /// Whether the first visible character begins an object or an array of JSON.
  fileprivate var looksLikeJSON: Bool {
    let first = utf8.first { $0 > 0x20 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }
}

extension Refusal {
  fileprivate static let jsonAsForm = Refusal(
    status: 415,
    message: "the body is JSON, and its Content-Type says that it is a form; send Content-Type: application/json",
    name: "INVALID_ARGUMENT", reason: "unsupportedMediaType")
  /// A form, at a path that reads none.
  static let form = Refusal(
    status: 415,
    message: "the Content-Type says form, which only the token endpoint reads; send Content-Type: application/json",
    name: "INVALID_ARGUMENT", reason: "unsupportedMediaType")

  fileprivate static func of(_ fault: FormFault, _ what: String) -> Refusal {
    switch fault {
    case .malformed: invalid("the \(what) is malformed")
    case .tooLarge: invalid("the \(what) is too large: its length, the number of its parameters, or one of their names")
    }
  }
}
