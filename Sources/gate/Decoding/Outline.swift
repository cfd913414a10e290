import GatehouseBase

/// JSON for people: one member a line, its value after the name or indented below, and moments in words. Values that
/// are longer than their line go on below, broken at spaces only, so that a name or an address stays whole.
struct Outline {
  /// In seconds since 1970: what "ago" counts from.
  let now: Double
  /// How long a line is.
  let columns: Int
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
      let text = text(of: member)
      guard indent + width + 2 + text.count > columns else { return [space + name + gap + text] }
      // Beside its name a value has half of the columns at least.
      guard (indent + width + 2) * 2 > columns else {
        let parts = text.broken(at: columns - indent - width - 2)
        let below = String(repeating: " ", count: indent + width + 2)
        return [space + name + gap + parts[0]] + parts.dropFirst().map { below + $0 }
      }
      return [space + name] + text.broken(at: columns - indent - 2).map { space + "  " + $0 }
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

extension String {
  /// Lines of at most `columns` characters, broken at single spaces; a longer word has a line of its own. Other spaces
  /// stay.
  fileprivate func broken(at columns: Int) -> [String] {
    var lines: [String] = []
    for word in split(separator: " ", omittingEmptySubsequences: false) {
      if let last = lines.last, last.count + 1 + word.count <= columns {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
