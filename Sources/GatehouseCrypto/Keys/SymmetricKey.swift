import CGatehouseOpenSSL
public import GatehouseBase

/// A secret that two sides share: makes and checks HMAC-SHA256 tags.
///
/// At least 32 bytes long (RFC 7518 §3.2), and nothing that looks like a public key: a server that is talked into
/// using one as a shared secret believes everybody who knows it. Prints nothing of itself. Any thread, all at once.
public struct SymmetricKey: Sendable {
  private let mac: MACTemplate
  private let bytes: [UInt8]

  /// The fewest bytes a key may have.
  public static let minimumLength = 32

  public init(_ bytes: [UInt8]) throws(AuthError) {
    guard bytes.count >= Self.minimumLength else {
      throw AuthError(.keyInvalid, "a shared secret for SHA-256 has at least 32 bytes, and this one has \(bytes.count)")
    }
    guard !PublicMaterial.isRecognised(bytes) else {
      throw AuthError(.keyInvalid, "this is a public key, not a shared secret")
    }
    self.bytes = bytes
    mac = try MACTemplate(bytes)
  }

  /// A new key of 32 random bytes.
  public static func generate() throws(AuthError) -> SymmetricKey {
    try SymmetricKey(RandomBytes.make(minimumLength))
  }

  /// The key itself. Look for this name when you ask where shared secrets go.
  public var revealedBytes: [UInt8] { bytes }

  /// The HMAC-SHA256 tag of a message, 32 bytes long.
  public func authenticate(_ message: [UInt8]) throws(AuthError) -> [UInt8] { try mac.tag(of: message) }

  /// Whether this is the whole tag of a message; compared in constant time.
  public func isValid(_ tag: [UInt8], for message: [UInt8]) throws(AuthError) -> Bool {
    constantTimeEquals(tag, try authenticate(message))
  }
}

extension SymmetricKey: CustomStringConvertible, CustomReflectable {
  public var description: String { "•••" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// An HMAC context that has its key; each tag is made with a copy.
///
/// `@unchecked`: nothing changes the context once it has its key. `@safe`: it holds it until it goes.
@safe
private final class MACTemplate: @unchecked Sendable {
  private let context: OpaquePointer

  init(_ key: [UInt8]) throws(AuthError) {
    // `unsafe`: C; a context that is only half set up is freed by its owner, a whole one by this object.
    let algorithm = try unsafe Fetched.hmac.get()
    let draft = try Owned(unsafe EVP_MAC_CTX_new(algorithm), "HMAC") { unsafe EVP_MAC_CTX_free($0) }
    var list = ParameterList()
    list.add(OSSL_MAC_PARAM_DIGEST, text: "SHA256")
    let answer = list.withList { list in
      unsafe key.withUnsafeBufferPointer { unsafe EVP_MAC_init(draft.raw, $0.baseAddress, $0.count, list) }
    }
    try OpenSSL.check(answer, "HMAC")
    guard let context = unsafe EVP_MAC_CTX_dup(draft.raw) else { throw OpenSSL.failure("HMAC") }
    unsafe self.context = context
  }

  func tag(of message: [UInt8]) throws(AuthError) -> [UInt8] {
    // `unsafe`: C; the copy is freed by its owner, and each buffer holds the count that is passed.
    let copy = try Owned(unsafe EVP_MAC_CTX_dup(context), "HMAC") { unsafe EVP_MAC_CTX_free($0) }
    let answer = unsafe message.withUnsafeBufferPointer { unsafe EVP_MAC_update(copy.raw, $0.baseAddress, $0.count) }
    try OpenSSL.check(answer, "HMAC")
    var tag = Array(repeating: UInt8(0), count: SHA256.length)
    var count = 0
    let final = unsafe tag.withUnsafeMutableBufferPointer {
      unsafe EVP_MAC_final(copy.raw, $0.baseAddress, &count, $0.count)
    }
    try OpenSSL.check(final, "HMAC")
    return tag
  }

  deinit { unsafe EVP_MAC_CTX_free(context) }
}
