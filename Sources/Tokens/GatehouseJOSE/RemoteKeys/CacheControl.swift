import GatehouseBase
import GatehouseHTTP

/// How long a server lets an answer be kept (RFC 9111 §5.2).
enum CacheControl {
  /// Seconds that the answer is fresh from now on; `nil` if the server does not say.
  ///
  /// `max-age` without the `Age` that the answer has already; the smallest where there are several. `no-store` and
  /// `no-cache` are zero. What cannot be read counts as not said.
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

  /// Digits, in quotes or not.
  private static func seconds(_ text: String) -> Double? {
    var digits = text.utf8[...]
    if digits.count > 2, digits.first == UInt8(ascii: "\""), digits.last == UInt8(ascii: "\"") {
      digits = digits.dropFirst().dropLast()
    }
    guard (1...20).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Double(String(decoding: digits, as: UTF8.self))
  }
}
