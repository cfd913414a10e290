import CGatehouseOpenSSL

/// Whether two byte strings are equal, in a time that depends on their lengths only.
public func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  constantTimeEquals(left.span, right.span)
}

/// Whether two byte strings are equal, in a time that depends on their lengths only.
public func constantTimeEquals(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  return unsafe left.withUnsafeBytes { left in  // `unsafe`: both buffers hold the count that is passed
    unsafe right.withUnsafeBytes { right in unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) }
  } == 0
}
