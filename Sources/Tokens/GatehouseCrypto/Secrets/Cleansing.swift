import CGatehouseOpenSSL

extension [UInt8] {
  /// Overwrites the bytes with zeros; the compiler cannot remove the write.
  package mutating func cleanse() {
    // `unsafe`: the buffer holds the count that is passed.
    unsafe withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
  }
}

extension SecretBytes {
  /// Some of the bytes, as a secret of their own.
  func part(_ range: Range<Int>) -> SecretBytes { withBytes { SecretBytes($0.extracting(range)) } }

  /// A copy of some bytes.
  convenience init(_ bytes: Span<UInt8>) {
    self.init(count: bytes.count) { room in
      // `unsafe`: the room has as many bytes.
      unsafe bytes.withUnsafeBufferPointer { unsafe _ = room.update(fromContentsOf: $0) }
    }
  }
}
