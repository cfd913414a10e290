import IdentityToolkit

/// The name of an administrator's call in the audit log. The text of a type's name is made only for a line of the log.
enum CallName: Sendable, Hashable {
  case call(any Call.Type)
  case work(String)

  var text: String {
    switch self {
    case .work(let name): return name
    case .call(let type):
      let name = "\(type)"
      return name.prefix(1).lowercased() + name.dropFirst()
    }
  }

  static func == (one: Self, other: Self) -> Bool {
    switch (one, other) {
    case (.call(let one), .call(let other)): ObjectIdentifier(one) == ObjectIdentifier(other)
    case (.work(let one), .work(let other)): one.isExactly(other)
    default: false
    }
  }

  func hash(into hasher: inout Hasher) {
    switch self {
    case .call(let type): hasher.combine(ObjectIdentifier(type))
    case .work(let name): hasher.combine(name)
    }
  }
}
