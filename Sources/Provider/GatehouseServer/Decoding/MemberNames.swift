import GatehouseBase

extension JSONObject {
  /// Returns a member that is not null, by its name in the protocol's spelling or in snake case (`localId`,
  /// `local_id`).
  func member(_ name: String) -> JSONValue? {
    given(name) ?? given(name.snakeCased) ?? given(name.camelCased)
  }

  private func given(_ name: String) -> JSONValue? { self[name].flatMap { $0.isNull ? nil : $0 } }

  /// Refuses a member that is there in two spellings, because two readers could use different ones.
  func requireOneSpelling(of name: String) throws(Refusal) {
    // One of two spellings has an underscore.
    guard members.contains(where: { $0.name.utf8.contains(UInt8(ascii: "_")) }) else { return }
    let spellings = Set([name, name.snakeCased, name.camelCased]).filter { self[$0] != nil }.sorted()
    guard spellings.count > 1 else { return }
    throw .invalid("\(spellings.joined(separator: " and ")) are the same member; send one of them")
  }

  /// Refuses members that the object does not have.
  ///
  /// - Parameter known: the names, in camel case.
  func requireOnly(_ known: Set<String>) throws(Refusal) {
    guard let name = names.first(where: { !known.contains($0.camelCased) }) else { return }
    throw .unreadable("Unknown name \"\(name.printable())\": Cannot find field.")
  }
}
