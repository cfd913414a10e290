import CGatehouseOpenSSL
package import GatehouseBase

/// An HMAC context that has its key.
///
/// For one thread at a time. `@safe`: it alone holds the context that it frees.
@safe
package final class MACWorkspace {
  private let context: OpaquePointer
  private let tagLength: Int
  private let rewinds: Bool

  /// Throws `keyInvalid` if the secret is shorter than the hash.
  package convenience init(_ key: SymmetricKey, _ hash: HashFunction) throws(AuthError) {
    try self.init(key, hash, rewinds: OpenSSL.rewindsMACs)
  }

  init(_ key: SymmetricKey, _ hash: HashFunction, rewinds: Bool) throws(AuthError) {
    try hash.requireLength(of: key)
    // `unsafe`: C; a context that is only half set up is freed by its owner, a whole one by this object.
    let algorithm = try unsafe Fetched.hmac.get()
    let draft = try Owned(unsafe EVP_MAC_CTX_new(algorithm), "HMAC") { unsafe EVP_MAC_CTX_free($0) }
    var list = ParameterList()
    list.add(OSSL_MAC_PARAM_DIGEST, text: hash.name)
    let answer = key.bytes.withBytes { key in
      list.withList { list in
        unsafe key.withUnsafeBufferPointer { unsafe EVP_MAC_init(draft.raw, $0.baseAddress, $0.count, list) }
      }
    }
    try OpenSSL.check(answer, "HMAC")
    guard let context = unsafe EVP_MAC_CTX_dup(draft.raw) else { throw OpenSSL.failure("HMAC") }
    unsafe self.context = context
    tagLength = hash.length
    self.rewinds = rewinds
  }

  /// Whether this is the whole tag of a message; compared in constant time.
  package func isValid(_ tag: Span<UInt8>, for message: Span<UInt8>) throws(AuthError) -> Bool {
    guard tag.count == tagLength else { return false }
    var room = InlineArray<64, UInt8>(repeating: 0)
    var span = room.mutableSpan
    try write(message, to: &span)
    return constantTimeEquals(tag, room.span.extracting(..<tagLength))
  }

  /// Writes the tag of a message to where there is room for it.
  func write(_ message: Span<UInt8>, to tag: inout MutableSpan<UInt8>) throws(AuthError) {
    guard rewinds else {
      let copy = try Owned(unsafe EVP_MAC_CTX_dup(context), "HMAC") { unsafe EVP_MAC_CTX_free($0) }
      return try unsafe Self.write(message, to: &tag, with: copy.raw)
    }
    try OpenSSL.check(unsafe EVP_MAC_init(context, nil, 0, nil), "HMAC")
    try unsafe Self.write(message, to: &tag, with: context)
  }

  private static func write(
    _ message: Span<UInt8>, to tag: inout MutableSpan<UInt8>, with context: OpaquePointer
  ) throws(AuthError) {
    // `unsafe`: each buffer holds the count that is passed.
    let answer = unsafe message.withUnsafeBufferPointer { unsafe EVP_MAC_update(context, $0.baseAddress, $0.count) }
    try OpenSSL.check(answer, "HMAC")
    var count = 0
    let final = unsafe tag.withUnsafeMutableBufferPointer {
      unsafe EVP_MAC_final(context, $0.baseAddress, &count, $0.count)
    }
    try OpenSSL.check(final, "HMAC")
  }

  deinit { unsafe EVP_MAC_CTX_free(context) }
}

extension HashFunction {
  func requireLength(of key: SymmetricKey) throws(AuthError) {
    guard key.count >= length else {
      throw AuthError(.keyInvalid, "a shared secret for \(name) has at least \(length) bytes")
    }
  }
}
