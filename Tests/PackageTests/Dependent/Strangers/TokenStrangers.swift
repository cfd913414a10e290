extension Stranger {
  /// The protocols of the Tokens wing.
  static let tokens: [Stranger] = []
}
