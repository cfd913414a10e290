extension QRCode {
  /// The light margins that a code may have on each side, in modules. The standard wants four; cameras read two as
  /// well, and a usual code fits on 24 rows then.
  private static let margins = [4, 2]

  /// The code for a terminal of this size, with a row below for a question; `nil` where it does not fit.
  func text(columns: Int, rows: Int) -> String? {
    let margin = Self.margins.first { margin in
      let side = width + 2 * margin
      return side <= columns && (side + 1) / 2 + 1 <= rows
    }
    return margin.map(terminalText)
  }

  /// The code for a terminal: two modules in each character, one above the other. It is black on white whatever the
  /// terminal's own colors are, because many cameras read no light modules on a dark ground.
  private func terminalText(margin: Int) -> String {
    let range = -margin..<width + margin
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
