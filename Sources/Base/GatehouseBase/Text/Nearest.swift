extension String {
  /// The name that was probably meant by this one; `nil` if none is close.
  package func nearest(of names: [String]) -> String? {
    let nearest = names.map { ($0, distance(to: $0)) }.min { $0.1 < $1.1 }
    return nearest.flatMap { $0.1 <= max(1, count / 3) ? $0.0 : nil }
  }

  /// The edit distance: letters added, removed, replaced or swapped with their neighbor.
  private func distance(to name: String) -> Int {
    let (left, right) = (Array(prefix(40)), Array(name))
    var rows = [Array(0...right.count)]
    for (line, letter) in left.enumerated() {
      var row = [line + 1]
      for (column, other) in right.enumerated() {
        var least = Swift.min(
          row[column] + 1, rows[line][column + 1] + 1, rows[line][column] + (letter == other ? 0 : 1))
        if line > 0, column > 0, letter == right[column - 1], left[line - 1] == other {
          least = Swift.min(least, rows[line - 1][column - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}
