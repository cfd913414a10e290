/// A file's folder and its name in that folder, derived from the path's text only.
package struct FileLocation: Sendable, Hashable {
  /// The folder's path; `.` for a bare name.
  package let folder: String
  /// The file's name. Empty if the path names no file: it is empty, or ends in `.` or `..`.
  package let name: String

  package init(_ path: String) {
    // Split by bytes: a slash and a combining accent after it form one `Character`.
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
