extension [UInt8] {
  /// The line without the marks that a terminal puts around pasted text (bracketed paste, `ESC [ 200 ~` and `ESC [ 201
  /// ~`). A shell that has crashed may have left these marks switched on. They are removed only at the very beginning
  /// and end.
  var withoutPasteMarks: [UInt8] {
    var line = self[...]
    if line.starts(with: Self.pasteBegins) { line = line.dropFirst(Self.pasteBegins.count) }
    if line.suffix(Self.pasteEnds.count).elementsEqual(Self.pasteEnds) { line = line.dropLast(Self.pasteEnds.count) }
    return Array(line)
  }

  private static let pasteBegins = Array("\u{1B}[200~".utf8)
  private static let pasteEnds = Array("\u{1B}[201~".utf8)
}
