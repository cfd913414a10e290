import CGatehouseOpenSSL
import GatehouseBase

/// A private key that carries its public half (RFC 5958, version 2), which OpenSSL reads from version 3.2 on only.
///
///     OneAsymmetricKey ::= SEQUENCE {
///       version     INTEGER 1
///       algorithm   SEQUENCE
///       privateKey  OCTET STRING
///       attributes  [0] OPTIONAL
///       publicKey   [1] BIT STRING }
struct OneAsymmetricKey {
  /// The same private key without its public half and attributes: version 1, which is PKCS #8.
  let pkcs8: SecretBytes
  /// The public half, as it is in the file.
  let publicKey: [UInt8]

  /// - Returns: `nil` for a text with anything else.
  static func read(_ text: String) throws(AuthError) -> OneAsymmetricKey? {
    guard let bytes = try der(in: text) else { return nil }
    return bytes.withBytes { OneAsymmetricKey($0) }
  }

  private init?(_ bytes: Span<UInt8>) {
    var outer = DERReader(0..<bytes.count)
    guard let sequence = outer.next(in: bytes), sequence.tag == 0x30 else { return nil }
    var members = DERReader(sequence.content)
    guard let version = members.next(in: bytes), version.tag == 2, version.content.count == 1,
      bytes[version.content.lowerBound] == 1,
      let algorithm = members.next(in: bytes), algorithm.tag == 0x30, let key = members.next(in: bytes), key.tag == 4
    else { return nil }
    var last = members.next(in: bytes)
    if last?.tag == 0xA0 { last = members.next(in: bytes) }
    guard let half = last, half.tag == 0x81, half.content.count > 1, bytes[half.content.lowerBound] == 0,
      members.next(in: bytes) == nil
    else { return nil }
    publicKey = half.content.dropFirst().map { bytes[$0] }
    let kept = algorithm.whole.lowerBound..<key.whole.upperBound
    var plain: [UInt8] = [2, 1, 0] + kept.map { bytes[$0] }
    var whole = DERReader.header(0x30, count: plain.count) + plain
    _ = SecretBytes(moving: &plain)
    pkcs8 = SecretBytes(moving: &whole)
  }

  /// Checks that a key has this public half.
  func check(_ key: PKey) throws(AuthError) {
    guard try key.publicBytes() == publicKey else {
      throw AuthError(.keyInvalid, "the public half in the file is not that of the private key")
    }
  }

  /// The bytes of the only block in a text; `nil` if it has none that is not encrypted.
  private static func der(in text: String) throws(AuthError) -> SecretBytes? {
    let reader = try PEM.reader(of: text)
    var (name, header): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?) = (nil, nil)
    var data: UnsafeMutablePointer<UInt8>?
    var count = 0
    // `unsafe`: C; the three buffers are freed here, and the bytes are overwritten before.
    guard unsafe PEM_read_bio(reader.raw, &name, &header, &data, &count) == 1, count > 0 else {
      OpenSSL.drain()
      return nil
    }
    defer {
      unsafe CRYPTO_free(name, #file, 0)
      unsafe CRYPTO_free(header, #file, 0)
      unsafe CRYPTO_clear_free(data, count, #file, 0)
    }
    guard unsafe header?.pointee == 0, let start = unsafe data else { return nil }
    return SecretBytes(count: count) { unsafe $0.baseAddress?.update(from: start, count: count) }
  }
}

extension PKey {
  /// The public half as RFC 5958 has it: the bytes of a key on a curve of RFC 8037, the point of another curve, the
  /// numbers of an RSA key.
  fileprivate func publicBytes() throws(AuthError) -> [UInt8] {
    if let curve = OKPCurve.allCases.first(where: { isA($0.name) }) {
      return try rawBytes(curve.keyLength) { unsafe EVP_PKEY_get_raw_public_key($0, $1, $2) }.revealed
    }
    // `unsafe`: C; the first call only returns the length, and the second writes that many bytes.
    let count = unsafe i2d_PublicKey(raw, nil)
    guard count > 0 else { throw OpenSSL.failure("reading a key", code: .keyInvalid) }
    var bytes = Array(repeating: UInt8(0), count: Int(count))
    unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      var next = buffer.baseAddress
      _ = unsafe i2d_PublicKey(raw, &next)
    }
    return bytes
  }
}
