import Testing

struct ConstantTimeTests {
  /// The comparisons of a secret, or of what is made of one, by what they compare.
  private static let comparisons = [
    "passwords": "Sources/Provider/GatehouseLocal/Passwords/PasswordHash.swift",
    "passwords of other systems": "Sources/Provider/GatehouseLocal/Passwords/ImportedHash.swift",
    "one-time passwords": "Sources/Tokens/GatehouseCrypto/Hashing/OneTimePassword.swift",
    "tags of HMAC": "Sources/Tokens/GatehouseCrypto/Signatures/MACWorkspace.swift",
    "tags of encrypted messages": "Sources/Tokens/GatehouseCrypto/Encryption/AESCBCHMAC.swift",
    "nonces of DPoP": "Sources/Tokens/GatehouseJOSE/DPoP/DPoPNonces.swift",
    "shared secrets": "Sources/Tokens/GatehouseCrypto/Secrets/SecretBytes.swift",
  ]

  @Test func `passwords, tags and secrets are compared by OpenSSL, in constant time`() throws {
    for (what, file) in Self.comparisons {
      #expect(try Repository.text(of: file).contains("constantTimeEquals("), "\(what): \(file)")
    }
    let function = try Repository.text(of: "Sources/Tokens/GatehouseCrypto/Secrets/ConstantTime.swift")
    #expect(function.contains("CRYPTO_memcmp("))
  }
}
