// Identifiers are compared as bytes: `==` on strings treats é and e+◌́ as equal, but a signature covers only one of
// them.
extension String {
  /// Whether two strings are the same UTF-8 bytes.
  package func isExactly(_ other: String) -> Bool { utf8.span.isExactly(other.utf8.span) }

  /// Hashes what `isExactly` compares.
  package func hashExactly(into hasher: inout Hasher) {
    hasher.combine(utf8.count)
    for byte in utf8 { hasher.combine(byte) }
  }
}

extension String? {
  /// Whether both are `nil`, or are the same UTF-8 bytes.
  package func isExactly(_ other: String?) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let one?, let other?): one.isExactly(other)
    default: false
    }
  }
}
