/// A text that is compared and hashed as its UTF-8 bytes: an identifier in a set, or the key of a dictionary.
///
/// `Set<String>` and `[String: …]` take é and e+◌́ for equal, and would lose one of two accounts.
package struct ExactText: Hashable, Sendable, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (one: Self, other: Self) -> Bool { one.text.isExactly(other.text) }
  package func hash(into hasher: inout Hasher) { text.hashExactly(into: &hasher) }
  package var description: String { text }
}

extension Sequence<String> {
  /// The texts as a set of bytes.
  package var exactly: Set<ExactText> { Set(lazy.map(ExactText.init)) }
}

extension Set<ExactText> {
  /// Whether a text is in the set, byte for byte.
  package func contains(_ text: String) -> Bool { contains(ExactText(text)) }
}
