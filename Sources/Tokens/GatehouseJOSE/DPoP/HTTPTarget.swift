import GatehouseBase
import GatehouseHTTP

/// A URI in the form in which `htu` is compared (RFC 9449 §4.3, RFC 3986 §6.2.2 and §6.2.3): without query and
/// fragment, scheme and host in lower case, no default port, always a path, without dot segments, escapes only where
/// needed.
struct HTTPTarget: Equatable {
  private let text: [UInt8]

  /// The URI in this form.
  var uri: String { String(decoding: text, as: UTF8.self) }

  /// Returns `nil` unless it is an `http` or `https` URI of at most 4096 bytes.
  init?(_ uri: String) {
    let bytes = Array(uri.utf8)
    guard bytes.count <= 4096, bytes.allSatisfy(\.mayBeInURI), let (origin, rest) = Self.origin(of: bytes),
      let path = Self.path(rest)
    else { return nil }
    text = origin + path
  }

  /// Whether a URI begins with a scheme and a host, whatever its path is.
  static func hasOrigin(_ uri: String) -> Bool { origin(of: Array(uri.utf8)) != nil }

  /// The scheme and the host, and the path that follows; `nil` without an HTTP scheme and a host.
  private static func origin(of bytes: [UInt8]) -> (origin: [UInt8], path: ArraySlice<UInt8>)? {
    let whole = bytes.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard let colon = whole.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = whole[..<colon].lowercase
    let rest = whole[(colon + 1)...]
    guard let port = usualPorts[scheme], rest.starts(with: "//".utf8) else { return nil }
    let authority = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
    guard authority.allSatisfy(\.mayBeInURI), let host = host(authority, usualPort: port) else { return nil }
    return (scheme + Array("://".utf8) + host, rest.dropFirst(2 + authority.count))
  }

  private static let usualPorts = [Array("http".utf8): Array("80".utf8), Array("https".utf8): Array("443".utf8)]

  /// The host, with its port if that is not the default; `nil` if there is a user, or no host.
  private static func host(_ authority: ArraySlice<UInt8>, usualPort: [UInt8]) -> [UInt8]? {
    var host = authority
    var port: ArraySlice<UInt8> = []
    // A colon inside brackets belongs to an address.
    if let colon = authority.lastIndex(of: UInt8(ascii: ":")),
      !authority[colon...].contains(UInt8(ascii: "]"))
    {
      host = authority[..<colon]
      port = authority[(colon + 1)...]
    }
    let isAddress = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]")
    guard !host.isEmpty, !host.contains(UInt8(ascii: "@")), isAddress || !host.contains(UInt8(ascii: ":")),
      port.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    guard !port.isEmpty, !port.elementsEqual(usualPort) else { return host.lowercase }
    return host.lowercase + [UInt8(ascii: ":")] + port
  }

  /// The path without dot segments, every escape either decoded or in upper case; `nil` if an escape is malformed.
  private static func path(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    var path: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        path.append(byte)
        continue
      }
      guard let high = rest.popFirst()?.hexValue, let low = rest.popFirst()?.hexValue else { return nil }
      let value = high << 4 | low
      if value.isUnreserved { path.append(value) } else { path += [byte, high.hexDigit, low.hexDigit] }
    }
    return withoutDots(path)
  }

  /// A path without `.` and `..` segments (RFC 3986 §5.2.4). The path begins with a slash, or is empty.
  private static func withoutDots(_ path: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    var segments: [ArraySlice<UInt8>] = []
    var endsInDots = false
    for segment in path.dropFirst().split(separator: slash, omittingEmptySubsequences: false) {
      let isParent = segment.elementsEqual("..".utf8)
      endsInDots = isParent || segment.elementsEqual(".".utf8)
      if isParent { _ = segments.popLast() } else if !endsInDots { segments.append(segment) }
    }
    if endsInDots { segments.append([]) }
    return [slash] + segments.joined(separator: [slash])
  }
}

extension UInt8 {
  fileprivate var hexValue: UInt8? { Character(Unicode.Scalar(self)).hexDigitValue.map(UInt8.init) }
  fileprivate var hexDigit: UInt8 { self < 10 ? self + UInt8(ascii: "0") : self - 10 + UInt8(ascii: "A") }

  fileprivate var isUnreserved: Bool { isLetterOrDigit || "-._~".utf8.contains(self) }

  /// Whether RFC 3986 allows this byte in a URI.
  fileprivate var mayBeInURI: Bool { isUnreserved || ":/?#[]@!$&'()*+,;=%".utf8.contains(self) }
}

extension Sequence<UInt8> {
  fileprivate var lowercase: [UInt8] { map(\.lowercased) }
}
