extension NetworkAddress {
  /// Whether the address is of this machine itself: 127.0.0.0/8 or `::1`.
  package var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 }
  }
}
