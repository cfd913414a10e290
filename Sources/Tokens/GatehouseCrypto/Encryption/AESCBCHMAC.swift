import CGatehouseOpenSSL
import GatehouseBase

/// AES in CBC mode, with an HMAC over all of the message (RFC 7518 §5.2).
///
/// The tag is compared, in constant time, before anything is decrypted. So the padding reveals nothing.
struct AESCBCHMAC: ~Copyable {
  private let macKey: SecretBytes
  private let key: SecretBytes

  /// Splits a key into its two halves: the HMAC key comes first.
  init(_ both: SecretBytes) {
    macKey = both.part(0..<both.count / 2)
    key = both.part(both.count / 2..<both.count)
  }

  func seal(
    _ message: [UInt8], authenticating data: [UInt8], nonce: [UInt8], tagLength: Int
  ) throws(AuthError) -> SealedMessage {
    let ciphertext = try CipherRun(cipher, .encrypting, key: key, nonce: nonce).process(message.span)
    let whole = try tag([data, nonce, ciphertext, Self.bitCount(of: data)])
    return SealedMessage(nonce: nonce, ciphertext: ciphertext, tag: Array(whole.prefix(tagLength)))
  }

  func open(_ sealed: SealedMessage, authenticating data: [UInt8]) throws(AuthError) -> [UInt8] {
    let whole = try tag([data, sealed.nonce, sealed.ciphertext, Self.bitCount(of: data)])
    guard constantTimeEquals(whole.span.extracting(first: sealed.tag.count), sealed.tag.span) else {
      throw .undecipherable
    }
    return try CipherRun(cipher, .decrypting, key: key, nonce: sealed.nonce).process(sealed.ciphertext.span)
  }

  private var hash: HashAlgorithm {
    switch macKey.count {
    case 16: .sha256
    case 24: .sha384
    default: .sha512
    }
  }

  private var cipher: Fetched {
    switch key.count {
    case 16: .aes128CBC
    case 24: .aes192CBC
    default: .aes256CBC
    }
  }

  /// HMAC over the concatenated parts.
  private func tag(_ parts: [[UInt8]]) throws(AuthError) -> [UInt8] {
    try KeyedHash.tag(of: parts, key: macKey, digest: hash.name, length: hash.length)
  }

  /// The length of the data in bits, as eight bytes, big-endian.
  private static func bitCount(of data: [UInt8]) -> [UInt8] { bigEndian(UInt64(data.count) * 8) }
}

/// The bytes of a number, big-endian.
func bigEndian(_ number: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
  stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
}
