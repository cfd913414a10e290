import GatehouseBase

extension Input {
  /// Reads the next line of standard input, which must be a code.
  static func codeLine() throws(AuthError) -> String {
    var lines = InputLines(limit: 1024)
    while let some = try lines.next() {
      switch some.first {
      case .whole(let line): return try line.code
      case .tooLong: throw AuthError(.invalidArgument, "the line on standard input is too long for a code")
      case nil: continue
      }
    }
    throw AuthError(.missingVerificationCode, "standard input has ended without a code")
  }
}
