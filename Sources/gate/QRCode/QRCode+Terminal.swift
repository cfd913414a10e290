extension QRCode {
  /// The light margins that a code may have on each side, in modules. The standard asks for four. Cameras can read a
  /// code with two as well, and a typical code then fits on 24 rows.
  private static let margins = [4, 2]

  /// Returns the code for a terminal of this size, with a row below it for a question; `nil` if it does not fit.
  func text(columns: Int, rows: Int) -> String? {
    let margin = Self.margins.first { margin in
      let side = width + 2 * margin
      return side <= columns && (side + 1) / 2 + 1 <= rows
    }
    return margin.map(terminalText)
  }

  /// Returns the code for a terminal. Each character shows two modules, one above the other. The code is black on
  /// white, whatever the terminal's own colors are, because many cameras cannot read light modules on a dark
  /// background.
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

  /// These are among the 256 colors that no theme changes.
  private static let blackOnWhite = "\u{1B}[38;5;16;48;5;231m"
  private static let plain = "\u{1B}[0m"
}
