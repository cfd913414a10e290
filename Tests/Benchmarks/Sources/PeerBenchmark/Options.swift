import TokenSamples

/// How the program is called.
struct Options {
  /// Where the peers are, and where the tokens go.
  let folder: String
  /// Of processor time, for each peer, algorithm and round.
  var seconds = 1.0
  var isJSON = false

  static let usage = "usage: scripts/bench peers [--json] [--quick | --seconds N]"

  init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)[...]
    guard let folder = rest.popFirst() else { throw SampleError(Self.usage) }
    self.folder = folder
    while let argument = rest.popFirst() {
      switch argument {
      case "--json": isJSON = true
      case "--quick": seconds = 0.2
      case "--seconds":
        guard let seconds = rest.popFirst().flatMap(Double.init), (0.1...3_600).contains(seconds) else {
          throw SampleError(Self.usage)
        }
        self.seconds = seconds
      default: throw SampleError(Self.usage)
      }
    }
  }
}
