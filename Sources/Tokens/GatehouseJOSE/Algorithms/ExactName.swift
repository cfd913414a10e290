import GatehouseBase

extension RawRepresentable<String> {
  /// Finds a case by its name, compared as bytes: the compiler's `init(rawValue:)` accepts the Kelvin sign for the
  /// letter K.
  init?(exactly name: String) {
    self.init(rawValue: name)
    guard rawValue.isExactly(name) else { return nil }
  }
}
