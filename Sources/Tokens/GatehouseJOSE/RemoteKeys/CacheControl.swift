import GatehouseBase
import GatehouseHTTP

/// The time for which a response may be cached according to the server (RFC 9111 §5.2).
enum CacheControl {
  /// The number of seconds for which the response is fresh from now on; `nil` if the server does not say.
  ///
  /// `max-age` less the response's `Age`; the smallest of several. `no-store` and `no-cache` are zero. Unreadable
  /// values are ignored.
  static func lifetime(in headers: TransportHeaders) -> Double? {
    let directives = headers.values(of: "Cache-Control").flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }
      .map { String(decoding: $0.filter { $0 != 0x20 && $0 != 0x09 }.map(\.lowercased), as: UTF8.self) }
    if directives.contains("no-store") || directives.contains("no-cache") { return 0 }
    let ages = directives.compactMap { directive -> Double? in
      guard directive.hasPrefix("max-age=") else { return nil }
      return seconds(String(directive.dropFirst("max-age=".count)))
    }
    guard let age = ages.min() else { return nil }
    return max(0, age - (headers["Age"].flatMap(seconds) ?? 0))
  }

  /// Digits, with or without quotes.
  private static func seconds(_ text: String) -> Double? {
    var digits = text.utf8[...]
    if digits.count > 2, digits.first == UInt8(ascii: "\""), digits.last == UInt8(ascii: "\"") {
      digits = digits.dropFirst().dropLast()
    }
    guard (1...20).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Double(String(decoding: digits, as: UTF8.self))
  }
}
