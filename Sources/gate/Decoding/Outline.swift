import GatehouseBase

/// Formats JSON for people: one member a line, with its value after the name or indented below, and times in words. A
/// value that is longer than its line continues below. It is broken at spaces only, so that a name or an address stays
/// whole.
struct Outline {
  /// The current time in seconds since 1970, from which "ago" is counted.
  let now: Double
  /// The maximum length of a line.
  let columns: Int
  private static let moments = ["exp", "nbf", "iat", "auth_time", "updated_at"]

  /// Returns the lines of an object, each indented by this number of spaces.
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
      // A value beside its name has at least half of the columns.
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

  /// Returns a plain name unchanged, and any other name in JSON's notation, so that it cannot be mistaken for something
  /// else.
  private static func name(_ name: String) -> String {
    let isPlain = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
    return isPlain ? name : "\(JSONValue.string(name))".shown
  }
}

extension String {
  /// Returns lines of at most `columns` characters, broken at single spaces. A word that is longer gets a line of its
  /// own. Other spaces are kept.
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
