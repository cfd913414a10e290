import CGatehouseOpenSSL
import GatehouseBase

/// One use of an OpenSSL cipher, with one key and nonce. The caller checks the lengths.
struct CipherRun: ~Copyable {
  enum Direction: Int32 {
    case decrypting = 0
    case encrypting = 1
  }

  private let context: Owned
  private let direction: Direction

  /// The number of bytes that any of the ciphers may need beyond its input.
  private static let extra = 16

  init(_ algorithm: Fetched, _ direction: Direction, key: SecretBytes, nonce: [UInt8]) throws(AuthError) {
    // `unsafe`: C; the context is freed by its owner, and each buffer has the length that the cipher requires.
    let cipher = try unsafe algorithm.get()
    let context = try Owned(unsafe EVP_CIPHER_CTX_new(), "a cipher") { unsafe EVP_CIPHER_CTX_free($0) }
    guard Int(unsafe EVP_CIPHER_get_key_length(cipher)) == key.count,
      Int(unsafe EVP_CIPHER_get_iv_length(cipher)) == nonce.count
    else { throw AuthError(.cryptoFailed, "the key or nonce has the wrong length for the cipher") }
    // Without this flag, OpenSSL rejects ciphers that wrap keys.
    unsafe EVP_CIPHER_CTX_set_flags(context.raw, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW)
    let answer = key.withBytes { key in
      unsafe key.withUnsafeBufferPointer { key in
        unsafe nonce.withUnsafeBufferPointer { nonce in
          unsafe EVP_CipherInit_ex2(
            context.raw, cipher, key.baseAddress, nonce.baseAddress, direction.rawValue, nil)
        }
      }
    }
    try OpenSSL.check(answer, "a cipher")
    self.context = context
    self.direction = direction
  }

  /// Adds additional data: authenticated, not encrypted.
  func authenticate(_ data: [UInt8]) throws(AuthError) {
    guard !data.isEmpty else { return }
    var written: Int32 = 0
    // `unsafe`: the buffer has the length that is passed, which fits: no message is longer than a gibibyte.
    let answer = unsafe data.withUnsafeBufferPointer {
      unsafe EVP_CipherUpdate(context.raw, nil, &written, $0.baseAddress, Int32($0.count))
    }
    try OpenSSL.check(answer, "a cipher")
  }

  /// Processes the whole input and returns the whole output. If decryption fails, overwrites the output and throws
  /// `decryptionFailed`.
  func process(_ input: Span<UInt8>) throws(AuthError) -> [UInt8] {
    var output = Array(repeating: UInt8(0), count: input.count + Self.extra)
    var written: Int32 = 0
    var last: Int32 = 0
    // `unsafe`: the input has the length that is passed, which fits. OpenSSL adds at most one block to it.
    let isDone = unsafe output.withUnsafeMutableBufferPointer { output in
      unsafe input.withUnsafeBufferPointer { input in
        let answer = unsafe EVP_CipherUpdate(
          context.raw, output.baseAddress, &written, input.baseAddress, Int32(input.count))
        guard answer == 1, written >= 0, let end = unsafe output.baseAddress.map({ unsafe $0 + Int(written) }) else {
          return false
        }
        return unsafe EVP_CipherFinal_ex(context.raw, end, &last) == 1
      }
    }
    guard isDone else {
      output.cleanse()
      guard direction == .decrypting else { throw OpenSSL.failure("encrypting") }
      OpenSSL.drain()
      throw .undecipherable
    }
    output.removeLast(output.count - Int(written) - Int(last))
    return output
  }

  /// Sets the expected tag, which the end of decryption checks.
  func expect(tag: [UInt8]) throws(AuthError) {
    var tag = tag
    // `unsafe`: the buffer has the length that is passed, which the caller has checked.
    let answer = unsafe tag.withUnsafeMutableBufferPointer {
      unsafe EVP_CIPHER_CTX_ctrl(context.raw, EVP_CTRL_AEAD_SET_TAG, Int32($0.count), $0.baseAddress)
    }
    try OpenSSL.check(answer, "a cipher")
  }

  /// The tag of the processed data.
  func tag(length: Int) throws(AuthError) -> [UInt8] {
    var tag = Array(repeating: UInt8(0), count: length)
    // `unsafe`: the buffer has the length that is passed.
    let answer = unsafe tag.withUnsafeMutableBufferPointer {
      unsafe EVP_CIPHER_CTX_ctrl(context.raw, EVP_CTRL_AEAD_GET_TAG, Int32($0.count), $0.baseAddress)
    }
    try OpenSSL.check(answer, "a cipher")
    return tag
  }
}
