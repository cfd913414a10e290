import CGatehouseOpenSSL
public import GatehouseBase

/// Makes and checks HMAC tags with one shared secret.
///
/// Keep it, as a `MessageVerifier`. Any thread, all at once; no thread waits for another.
public struct MessageAuthenticator: Sendable {
  /// How long each tag is, in bytes.
  public let tagLength: Int
  private let workspaces: Workspaces<MACWorkspace>

  /// Throws `keyInvalid` if the secret is shorter than the hash (RFC 7518 §3.2).
  public init(key: SymmetricKey, hash: HashFunction) throws(AuthError) {
    try self.init(key: key, hash: hash, rewinds: OpenSSL.rewindsMACs)
  }

  /// For tests, which also try what is done with an OpenSSL before 3.0.3.
  package init(key: SymmetricKey, hash: HashFunction, rewinds: Bool) throws(AuthError) {
    guard key.count >= hash.length else {
      throw AuthError(.keyInvalid, "a shared secret for \(hash.name) has at least \(hash.length) bytes")
    }
    tagLength = hash.length
    workspaces = Workspaces { [bytes = key.bytes] () throws(AuthError) in
      try MACWorkspace(bytes, hash, rewinds: rewinds)
    }
  }

  /// The tag of a message.
  public func tag(of message: Span<UInt8>) throws(AuthError) -> [UInt8] {
    try workspaces.withOne { workspace throws(AuthError) in
      var tag = Array(repeating: UInt8(0), count: tagLength)
      var span = tag.mutableSpan
      try workspace.write(message, to: &span)
      return tag
    }
  }

  /// Whether this is the whole tag of a message; compared in constant time.
  public func isValid(_ tag: Span<UInt8>, for message: Span<UInt8>) throws(AuthError) -> Bool {
    guard tag.count == tagLength else { return false }
    return try workspaces.withOne { workspace throws(AuthError) in
      var room = InlineArray<64, UInt8>(repeating: 0)
      var span = room.mutableSpan
      try workspace.write(message, to: &span)
      return constantTimeEquals(tag, room.span.extracting(..<tagLength))
    }
  }
}

/// An HMAC context that has its key.
///
/// For one thread at a time. `@safe`: it alone holds the context that it frees.
@safe
private final class MACWorkspace {
  private let context: OpaquePointer
  private let rewinds: Bool

  init(_ key: SecretBytes, _ hash: HashFunction, rewinds: Bool) throws(AuthError) {
    // `unsafe`: C; a context that is only half set up is freed by its owner, a whole one by this object.
    let algorithm = try unsafe Fetched.hmac.get()
    let draft = try Owned(unsafe EVP_MAC_CTX_new(algorithm), "HMAC") { unsafe EVP_MAC_CTX_free($0) }
    var list = ParameterList()
    list.add(OSSL_MAC_PARAM_DIGEST, text: hash.name)
    let answer = key.withBytes { key in
      list.withList { list in
        unsafe key.withUnsafeBufferPointer { unsafe EVP_MAC_init(draft.raw, $0.baseAddress, $0.count, list) }
      }
    }
    try OpenSSL.check(answer, "HMAC")
    guard let context = unsafe EVP_MAC_CTX_dup(draft.raw) else { throw OpenSSL.failure("HMAC") }
    unsafe self.context = context
    self.rewinds = rewinds
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
