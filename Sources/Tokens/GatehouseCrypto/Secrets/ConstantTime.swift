import CGatehouseOpenSSL

/// Whether two byte strings are equal. The time depends only on their lengths.
public func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  constantTimeEquals(left.span, right.span)
}

/// Whether two byte strings are equal. The time depends only on their lengths.
public func constantTimeEquals(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  return unsafe left.withUnsafeBytes { left in  // `unsafe`: both buffers have the lengths that are passed
    unsafe right.withUnsafeBytes { right in unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) }
  } == 0
}
