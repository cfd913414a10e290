import CGatehouseOpenSSL

extension [UInt8] {
  /// Overwrites the bytes with zeros; the compiler cannot remove the write.
  package mutating func cleanse() {
    // `unsafe`: the buffer has the length that is passed.
    unsafe withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
  }
}

extension SecretBytes {
  /// A part of the bytes, as a separate secret.
  func part(_ range: Range<Int>) -> SecretBytes { withBytes { SecretBytes($0.extracting(range)) } }

  /// Copies bytes.
  convenience init(_ bytes: Span<UInt8>) {
    self.init(count: bytes.count) { room in
      // `unsafe`: the buffer has the same number of bytes.
      unsafe bytes.withUnsafeBufferPointer { unsafe _ = room.update(fromContentsOf: $0) }
    }
  }
}
