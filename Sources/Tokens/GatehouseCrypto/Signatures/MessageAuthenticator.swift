import GatehouseBase

/// Makes and checks HMAC tags with one shared secret.
///
/// Keep and reuse it, like a `MessageVerifier`. Usable from any thread; no thread waits for another.
public struct MessageAuthenticator: Sendable {
  /// The length of each tag, in bytes.
  public let tagLength: Int
  private let workspaces: Workspaces<MACWorkspace>

  /// Throws `keyInvalid` if the secret is shorter than the hash (RFC 7518 §3.2).
  public init(key: SecretKey, hash: HashAlgorithm) throws {
    try hash.requireLength(of: key)
    tagLength = hash.length
    workspaces = Workspaces { () throws(AuthError) in try MACWorkspace(key, hash) }
  }

  /// The tag of a message.
  public func tag(of message: Span<UInt8>) throws -> [UInt8] {
    try workspaces.withOne { workspace throws(AuthError) in
      var tag = Array(repeating: UInt8(0), count: tagLength)
      var span = tag.mutableSpan
      try workspace.write(message, to: &span)
      return tag
    }
  }

  /// Whether this is the full tag of a message. Compared in constant time.
  public func isValid(_ tag: Span<UInt8>, for message: Span<UInt8>) throws -> Bool {
    try workspaces.withOne { workspace throws(AuthError) in try workspace.isValid(tag, for: message) }
  }
}

extension SecretKey {
  /// The HMAC of a message. For many messages, keep a `MessageAuthenticator`.
  public func authenticate(_ message: [UInt8], with hash: HashAlgorithm = .sha256) throws -> [UInt8] {
    try MessageAuthenticator(key: self, hash: hash).tag(of: message.span)
  }
}
