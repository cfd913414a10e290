import TokenSamples

/// How the program is called.
struct Options {
  /// For each figure; no cache remembers a token for longer.
  var seconds = 2.0
  var isJSON = false
  /// Whether a tenth of the tokens is enough where they are counted.
  var isQuick = false

  static let usage = "usage: scripts/bench tokens [--json] [--quick | --seconds N]"

  init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": isJSON = true
      case "--quick":
        seconds = 0.4
        isQuick = true
      case "--seconds":
        guard let seconds = rest.popFirst().flatMap(Double.init), (0.1...250).contains(seconds) else {
          throw SampleError(Self.usage)
        }
        self.seconds = seconds
      default: throw SampleError(Self.usage)
      }
    }
  }
}
