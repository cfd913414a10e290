/// A file's folder, and its name there. Only text is looked at.
package struct FileLocation: Sendable, Hashable {
  /// `.` for a bare name.
  package let folder: String
  /// Empty where the path names no file: it is empty, or ends in `.` or `..`.
  package let name: String

  package init(_ path: String) {
    // By bytes: a slash and an accent after it are one `Character`.
    let slash = UInt8(ascii: "/")
    var parts = path.utf8.split(separator: slash).map { String(decoding: $0, as: UTF8.self) }.filter { $0 != "." }
    let last = parts.popLast() ?? ""
    if last == ".." { parts.append(last) }
    name = last == ".." ? "" : last
    let root = path.utf8.first == slash ? "/" : ""
    let above = root + parts.joined(separator: "/")
    folder = above.isEmpty ? "." : above
  }
}
