import GatehouseBase

/// The two encodings of an ECDSA signature: r and s concatenated, as in JOSE, and DER, as in OpenSSL.
public struct ECDSAEncoding {
  /// Room for the longest signature: two numbers of 66 bytes with their signs, and the DER headers.
  private var room = InlineArray<144, UInt8>(repeating: 0)
  private var count = 0

  private init() {}

  /// Passes r and s as DER to a closure. Returns `nil` unless each is as long as a coordinate and above zero. OpenSSL
  /// checks whether they are below the order.
  static func withDER<Result>(
    of raw: Span<UInt8>, on curve: EllipticCurve, _ work: (Span<UInt8>) throws(AuthError) -> Result
  ) throws(AuthError) -> Result? {
    var der = ECDSAEncoding()
    guard der.encode(raw, on: curve) else { return nil }
    return try work(der.room.span.extracting(..<der.count))
  }

  private mutating func encode(_ raw: Span<UInt8>, on curve: EllipticCurve) -> Bool {
    let length = curve.coordinateLength
    guard raw.count == 2 * length else { return false }
    let r = Self.firstDigit(of: raw, 0, length)
    let s = Self.firstDigit(of: raw, length, 2 * length)
    guard r < length, s < 2 * length else { return false }
    let body = 4 + Self.size(raw, r, length) + Self.size(raw, s, 2 * length)
    count = 0
    append(0x30)
    if body >= 0x80 { append(0x81) }
    append(UInt8(body))
    append(raw, r, length)
    append(raw, s, 2 * length)
    return true
  }

  private static func firstDigit(of raw: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    var index = start
    while index < end, raw[index] == 0 { index += 1 }
    return index
  }

  /// The number of bytes in a number: one more if its first bit would look like a sign.
  private static func size(_ raw: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    end - start + (raw[start] >= 0x80 ? 1 : 0)
  }

  private mutating func append(_ raw: Span<UInt8>, _ start: Int, _ end: Int) {
    append(0x02)
    append(UInt8(Self.size(raw, start, end)))
    if raw[start] >= 0x80 { append(0) }
    for index in start..<end { append(raw[index]) }
  }

  private mutating func append(_ byte: UInt8) {
    room[count] = byte
    count += 1
  }
}

extension ECDSAEncoding {
  /// Converts a signature from DER to r and s: for external signers, most of which return DER.
  ///
  /// Throws `cryptoFailed` if the bytes are not the DER of two numbers that fit the curve.
  public static func raw(fromDER der: [UInt8], on curve: EllipticCurve) throws -> [UInt8] {
    guard let raw = numbers(in: der, each: curve.coordinateLength) else {
      throw AuthError(.cryptoFailed, "invalid DER-encoded ECDSA signature for \(curve.rawValue)")
    }
    return raw
  }

  private static func numbers(in der: [UInt8], each size: Int) -> [UInt8]? {
    var rest = der[...]
    guard rest.popFirst() == 0x30, var length = rest.popFirst() else { return nil }
    if length == 0x81 {
      guard let long = rest.popFirst(), long >= 0x80 else { return nil }
      length = long
    } else if length > 0x80 {
      return nil
    }
    guard Int(length) == rest.count else { return nil }
    var raw: [UInt8] = []
    raw.reserveCapacity(2 * size)
    for _ in 0..<2 {
      guard rest.popFirst() == 0x02, let length = rest.popFirst(), Int(length) <= rest.count else { return nil }
      let digits = rest.prefix(Int(length)).drop { $0 == 0 }
      guard digits.count <= size else { return nil }
      for _ in digits.count..<size { raw.append(0) }
      raw.append(contentsOf: digits)
      rest = rest.dropFirst(Int(length))
    }
    return rest.isEmpty ? raw : nil
  }
}
