import GatehouseBase

/// A URI in the form in which `htu` is compared (RFC 9449 §4.3, RFC 3986 §6.2.2 and §6.2.3): without query and
/// fragment, scheme and host in lower case, no usual port, a path always, escapes only where needed.
struct HTTPTarget: Equatable {
  private let text: [UInt8]

  /// `nil` for what is no `http` or `https` URI.
  init?(_ uri: String) {
    let bytes = Array(uri.utf8)
    guard bytes.count <= 4096, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    let whole = bytes.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard let colon = whole.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = whole[..<colon].lowercase
    let rest = whole[(colon + 1)...]
    guard scheme == Array("https".utf8) || scheme == Array("http".utf8), rest.starts(with: "//".utf8) else {
      return nil
    }
    let authority = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
    guard !authority.isEmpty, !authority.contains(UInt8(ascii: "@")),
      let path = Self.path(rest.dropFirst(2 + authority.count))
    else { return nil }
    let port = scheme.count == 5 ? ":443" : ":80"
    var host = authority.lowercase
    for usual in [port, ":"] where host.ends(with: usual) { host.removeLast(usual.utf8.count) }
    text = scheme + Array("://".utf8) + host + path
  }

  /// The path with every escape either undone or in upper case; `nil` if an escape is broken.
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
    return path.isEmpty ? [UInt8(ascii: "/")] : path
  }
}

extension UInt8 {
  fileprivate var hexValue: UInt8? { Character(Unicode.Scalar(self)).hexDigitValue.map(UInt8.init) }
  fileprivate var hexDigit: UInt8 { self < 10 ? self + UInt8(ascii: "0") : self - 10 + UInt8(ascii: "A") }

  fileprivate var isUnreserved: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~".utf8.contains(self)
    }
  }
}

extension Sequence<UInt8> {
  fileprivate var lowercase: [UInt8] {
    map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
  }
}

extension [UInt8] {
  fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
