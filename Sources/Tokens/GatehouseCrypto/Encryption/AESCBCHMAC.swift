import CGatehouseOpenSSL
import GatehouseBase

/// AES in CBC mode, and HMAC over everything that is sent (RFC 7518 §5.2).
///
/// The tag is compared, in constant time, before anything is decrypted: the padding reveals nothing.
struct AESCBCHMAC: ~Copyable {
  private let macKey: SecretBytes
  private let key: SecretBytes

  /// Takes the two halves of a key: HMAC's first.
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

  /// HMAC over one part after the other.
  private func tag(_ parts: [[UInt8]]) throws(AuthError) -> [UInt8] {
    let algorithm = try unsafe Fetched.hmac.get()
    // `unsafe`: C; the context is freed by its owner, and each buffer holds the count that is passed.
    let context = try Owned(unsafe EVP_MAC_CTX_new(algorithm), "HMAC") { unsafe EVP_MAC_CTX_free($0) }
    var list = ParameterList()
    list.add(OSSL_MAC_PARAM_DIGEST, text: hash.name)
    let begun = macKey.withBytes { key in
      list.withList { list in
        unsafe key.withUnsafeBufferPointer { unsafe EVP_MAC_init(context.raw, $0.baseAddress, $0.count, list) }
      }
    }
    try OpenSSL.check(begun, "HMAC")
    for part in parts {
      let answer = unsafe part.withUnsafeBufferPointer { unsafe EVP_MAC_update(context.raw, $0.baseAddress, $0.count) }
      try OpenSSL.check(answer, "HMAC")
    }
    var tag = Array(repeating: UInt8(0), count: hash.length)
    var count = 0
    let ended = unsafe tag.withUnsafeMutableBufferPointer {
      unsafe EVP_MAC_final(context.raw, $0.baseAddress, &count, $0.count)
    }
    try OpenSSL.check(ended, "HMAC")
    return tag
  }

  /// How many bits the data has, as eight bytes, highest first.
  private static func bitCount(of data: [UInt8]) -> [UInt8] { bigEndian(UInt64(data.count) * 8) }
}

/// A number as its bytes, highest first.
func bigEndian(_ number: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
  stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
}
