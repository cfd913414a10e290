import GatehouseBase

/// AES in Galois counter mode (NIST SP 800-38D), with 12-byte nonces and full 16-byte tags.
enum AESGCM {
  static let tagLength = 16

  static func seal(
    _ message: [UInt8], authenticating data: [UInt8], key: SecretBytes, nonce: [UInt8]
  ) throws(AuthError) -> SealedMessage {
    let run = try CipherRun(cipher(for: key), .encrypting, key: key, nonce: nonce)
    try run.authenticate(data)
    let ciphertext = try run.process(message.span)
    return SealedMessage(nonce: nonce, ciphertext: ciphertext, tag: try run.tag(length: tagLength))
  }

  static func open(
    _ sealed: SealedMessage, authenticating data: [UInt8], key: SecretBytes
  ) throws(AuthError) -> [UInt8] {
    let run = try CipherRun(cipher(for: key), .decrypting, key: key, nonce: sealed.nonce)
    try run.authenticate(data)
    try run.expect(tag: sealed.tag)
    return try run.process(sealed.ciphertext.span)
  }

  private static func cipher(for key: SecretBytes) -> Fetched {
    switch key.count {
    case 16: .aes128GCM
    case 24: .aes192GCM
    default: .aes256GCM
    }
  }
}
