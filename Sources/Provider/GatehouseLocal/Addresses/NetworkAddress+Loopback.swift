extension NetworkAddress {
  /// Whether the address is of this machine itself: 127.0.0.0/8 or `::1`.
  package var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 }
  }

  /// Whether the address is of a private network (RFC 1918), or a unique local one (RFC 4193).
  package var isPrivate: Bool {
    switch (bytes.count, bytes[0], bytes[1]) {
    case (4, 10, _), (4, 172, 16...31), (4, 192, 168): true
    case (16, 0xFC...0xFD, _): true
    default: false
    }
  }
}
