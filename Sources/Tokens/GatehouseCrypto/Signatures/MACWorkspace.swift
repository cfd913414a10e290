import CGatehouseOpenSSL
package import GatehouseBase

/// HMAC with one key (RFC 2104).
///
/// The key is hashed once. The resulting state is kept, and copied for each message. For one thread at a time. The
/// contexts are as secret as the key; OpenSSL overwrites them when it frees them.
package final class MACWorkspace {
  /// The hash states after the key's inner and outer blocks, and a copy that continues from there.
  private let inner, outer, running: Owned
  private let tagLength: Int

  /// Throws `keyInvalid` if the secret is shorter than the hash.
  package init(_ key: SecretKey, _ hash: HashAlgorithm) throws(AuthError) {
    try hash.requireLength(of: key)
    var block = try Self.block(of: key, hash)
    defer { block.cleanse() }
    for index in block.indices { block[index] ^= 0x36 }
    inner = try Self.context(hash, after: block)
    for index in block.indices { block[index] ^= 0x36 ^ 0x5C }
    outer = try Self.context(hash, after: block)
    running = try Self.context(hash, after: [])
    tagLength = hash.length
  }

  /// The key, or the hash of a longer key, padded with zeros to the hash's block length.
  private static func block(of key: SecretKey, _ hash: HashAlgorithm) throws(AuthError) -> [UInt8] {
    var block = [UInt8](repeating: 0, count: hash.blockLength)
    try key.bytes.withBytes { key throws(AuthError) in
      if key.count <= block.count {
        for index in key.indices { block[index] = key[index] }
      } else {
        var digest = try hash.digest(of: key)
        block.replaceSubrange(..<digest.count, with: digest)
        digest.cleanse()
      }
    }
    return block
  }

  private static func context(_ hash: HashAlgorithm, after block: [UInt8]) throws(AuthError) -> Owned {
    let context = try Owned(unsafe EVP_MD_CTX_new(), "HMAC") { unsafe EVP_MD_CTX_free($0) }
    // `unsafe`: C; the buffer has the length that is passed.
    try OpenSSL.check(unsafe EVP_DigestInit_ex2(context.raw, hash.fetched.get(), nil), "HMAC")
    let answer = unsafe block.withUnsafeBufferPointer {
      unsafe EVP_DigestUpdate(context.raw, $0.baseAddress, $0.count)
    }
    try OpenSSL.check(answer, "HMAC")
    return context
  }

  /// Whether this is the full tag of a message. Compared in constant time.
  package func isValid(_ tag: Span<UInt8>, for message: Span<UInt8>) throws(AuthError) -> Bool {
    guard tag.count == tagLength else { return false }
    var room = InlineArray<64, UInt8>(repeating: 0)
    var span = room.mutableSpan
    try write(message, to: &span)
    return constantTimeEquals(tag, room.span.extracting(..<tagLength))
  }

  /// Writes the tag of a message into the given memory.
  func write(_ message: Span<UInt8>, to tag: inout MutableSpan<UInt8>) throws(AuthError) {
    precondition(tag.count >= tagLength, "the buffer is too small for the tag")
    // `unsafe`: the buffer has room for the hash's output, and the message has the length that is passed.
    let isDone = unsafe tag.withUnsafeMutableBufferPointer { tag in
      unsafe message.withUnsafeBufferPointer { message in
        unsafe EVP_MD_CTX_copy_ex(running.raw, inner.raw) == 1
          && EVP_DigestUpdate(running.raw, message.baseAddress, message.count) == 1
          && EVP_DigestFinal_ex(running.raw, tag.baseAddress, nil) == 1
          && EVP_MD_CTX_copy_ex(running.raw, outer.raw) == 1
          && EVP_DigestUpdate(running.raw, tag.baseAddress, tagLength) == 1
          && EVP_DigestFinal_ex(running.raw, tag.baseAddress, nil) == 1
      }
    }
    guard isDone else { throw OpenSSL.failure("HMAC") }
  }
}

extension HashAlgorithm {
  func requireLength(of key: SecretKey) throws(AuthError) {
    guard key.count >= length else {
      throw AuthError(.keyInvalid, "a shared secret for \(name) must have at least \(length) bytes")
    }
  }
}
