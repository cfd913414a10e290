import GatehouseBase

/// The path of a route, made of fixed segments and parameters.
///
/// `/v1/projects/{project}/accounts:batchGet`, `/v1/projects/{project}:createSessionCookie`.
struct RoutePath: Sendable, Hashable, CustomStringConvertible {
  enum Segment: Sendable, Hashable {
    case given(String)
    /// Any non-empty text, followed by `suffix`.
    case filled(name: String, suffix: String)
  }

  let description: String
  let segments: [Segment]

  init(_ pattern: String) {
    description = pattern
    segments = pattern.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { segment in
      guard segment.first == "{", let end = segment.firstIndex(of: "}") else { return .given(String(segment)) }
      let name = String(segment[segment.index(after: segment.startIndex)..<end])
      return .filled(name: name, suffix: String(segment[segment.index(after: end)...]))
    }
  }

  /// Whether the path has no parameters.
  var isFixed: Bool { segments.allSatisfy { if case .given = $0 { true } else { false } } }

  /// Returns the values of the parameters for a request's segments; `nil` if the path does not match.
  func filled(by path: [String]) -> [String: String]? {
    guard path.count == segments.count else { return nil }
    var values: [String: String] = [:]
    for (segment, text) in zip(segments, path) {
      switch segment {
      case .given(let given): guard given.isExactly(text) else { return nil }
      case .filled(let name, let suffix):
        let bytes = text.utf8
        guard text.utf8.count > suffix.utf8.count, bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) else {
          return nil
        }
        let value = String(decoding: bytes.dropLast(suffix.utf8.count), as: UTF8.self)
        // `accounts/x:y` must not mean the account `x:y`, because a colon begins a verb.
        guard !value.utf8.contains(UInt8(ascii: ":")) else { return nil }
        values[name] = value
      }
    }
    return values
  }

  /// Returns the decoded segments of a request's path; `nil` for a malformed path. Nothing is normalized: `//` and `..`
  /// are ordinary segments, which no route has.
  static func segments(of path: String) -> [String]? {
    guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= maximumLength else { return nil }
    Steps.add(path.utf8.count)
    var segments: [String] = []
    for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let segment = decoded(part.utf8) else { return nil }
      segments.append(segment)
    }
    return segments
  }

  /// Returns a segment without its percent encoding; `nil` if a `%` is not followed by a byte, the bytes are not UTF-8,
  /// or the text contains a slash or a control character.
  private static func decoded(_ segment: Substring.UTF8View) -> String? {
    guard segment.contains(UInt8(ascii: "%")) else { return checked(Array(segment)) }
    var bytes: [UInt8] = []
    var rest = segment
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16) else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return checked(bytes)
  }

  private static func checked(_ bytes: [UInt8]) -> String? {
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The maximum length of a path, in bytes.
  private static let maximumLength = 2048
}
