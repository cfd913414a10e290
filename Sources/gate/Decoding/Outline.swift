import GatehouseBase

/// JSON for people: one member a line, its value after the name or indented below, and moments in words.
struct Outline {
  /// In seconds since 1970: what "ago" counts from.
  let now: Double
  private static let moments = ["exp", "nbf", "iat", "auth_time", "updated_at"]

  /// The lines of an object, each beginning with some space.
  func lines(of object: JSONObject, indent: Int = 2) -> [String] {
    let width = object.members.map { Self.name($0.name).count }.max() ?? 0
    let space = String(repeating: " ", count: indent)
    return object.members.flatMap { member in
      let name = Self.name(member.name)
      if let inner = member.value.object, !inner.isEmpty {
        return [space + name] + lines(of: inner, indent: indent + 2)
      }
      let gap = String(repeating: " ", count: width - name.count + 2)
      return [space + name + gap + text(of: member)]
    }
  }

  private func text(of member: JSONObject.Member) -> String {
    guard Self.moments.contains(where: { $0.isExactly(member.name) }), let moment = Moment(member.value) else {
      return "\(member.value)".shown
    }
    return "\(member.value)  \(moment.text(seenAt: now))"
  }

  /// A plain name as it is; any other one as JSON writes it, so that it is never taken for something else.
  private static func name(_ name: String) -> String {
    let isPlain = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
    return isPlain ? name : "\(JSONValue.string(name))".shown
  }
}
