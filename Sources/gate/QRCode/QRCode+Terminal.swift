extension QRCode {
  /// The light margin on each side, in modules: the standard wants four.
  private static let margin = 4

  /// How many columns of a terminal the code takes, with its margin.
  var columns: Int { width + 2 * Self.margin }

  /// The code for a terminal: two modules in each character, one above the other. It is black on white whatever the
  /// terminal's own colors are, because many cameras read no light modules on a dark ground.
  var terminalText: String {
    let range = -Self.margin..<width + Self.margin
    return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
      let line = range.map { column in
        switch (isDark(column, row), isDark(column, row + 1)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }
      return Self.blackOnWhite + line.joined() + Self.plain
    }.joined(separator: "\n")
  }

  /// Of the 256 colors those that no theme changes.
  private static let blackOnWhite = "\u{1B}[38;5;16;48;5;231m"
  private static let plain = "\u{1B}[0m"
}
