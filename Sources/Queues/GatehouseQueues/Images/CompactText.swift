import Foundation

/// Encodes addresses and images as the Swift runtime encodes its backtraces. This is the only way to hand it the
/// addresses of another process.
///
/// Both texts begin with one byte that has the version, 0, and the word size, 8 bytes. Numbers are big-endian.
enum CompactText {
  private static let version: UInt8 = 0x02

  static func frames(_ addresses: [UInt]) -> String {
    var bytes = [version]
    for address in addresses {
      bytes.append(0x2F)  // a return address, absolute, of 8 bytes
      bytes += big(address, 8)
    }
    return Data(bytes).base64EncodedString()
  }

  static func images(_ images: [(path: String, start: UInt, end: UInt)]) -> String {
    let platform = "Linux".utf8
    var bytes = [version, UInt8(platform.count)] + platform + count(images.count)
    for image in images {
      bytes.append(0x3F)  // its base, absolute, and the end of its text, each of 8 bytes
      bytes += big(image.start, 8) + big(image.end - image.start, 8)
      bytes.append(0)  // no build ID
      var path = Array(image.path.utf8)[...]
      while !path.isEmpty {
        let part = path.prefix(63)
        bytes.append(UInt8(part.count))
        bytes += part
        path = path.dropFirst(63)
      }
      bytes.append(0)
    }
    return Data(bytes).base64EncodedString()
  }

  private static func big(_ number: UInt, _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> UInt($0 * 8)) }
  }

  /// Seven bits in each byte, the highest first. All bytes except the last have their top bit set.
  private static func count(_ number: Int) -> [UInt8] {
    var groups = [UInt8(number & 0x7F)]
    var rest = number >> 7
    while rest > 0 {
      groups.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return groups.reversed()
  }
}
