/// Something that takes bytes from strangers, and what must hold whatever they are.
protocol Target {
  /// What scripts/fuzz calls it.
  static var name: String { get }
  /// The longest input, in bytes.
  static var longest: Int { get }
  /// From when on an input counts as a hang, in seconds.
  static var patience: Int { get }
  /// Tries one input. Stops the program where something does not hold.
  static func check(_ input: [UInt8])
  /// What to begin with: inputs that go deep.
  static func seeds(from harvest: Harvest) -> [[UInt8]]
}

extension Target {
  static var longest: Int { 16 << 10 }
  static var patience: Int { 10 }
}
