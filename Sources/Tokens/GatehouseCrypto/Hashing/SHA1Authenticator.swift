package import GatehouseBase

/// HMAC-SHA1, for OAuth 1 alone: no token of ours is signed with it.
package enum SHA1Authenticator {
  /// The tag over bytes: 20 bytes.
  package static func tag(of bytes: [UInt8], key: SecretBytes) throws(AuthError) -> [UInt8] {
    try KeyedHash.tag(of: [bytes], key: key, digest: "SHA1", length: 20)
  }
}
