import CGatehouseOpenSSL
import GatehouseBase

/// The hash functions of JOSE (FIPS 180-4), implemented by OpenSSL.
public enum HashAlgorithm: Sendable, Hashable, CaseIterable {
  /// SHA-256, digests of 32 bytes.
  case sha256
  /// SHA-384, digests of 48 bytes.
  case sha384
  /// SHA-512, digests of 64 bytes.
  case sha512

  /// The length of a digest, in bytes.
  public var length: Int {
    switch self {
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// The length of a block, in bytes: the unit of the hash's input.
  var blockLength: Int { self == .sha256 ? 64 : 128 }

  /// Hashes bytes. Usable from any thread.
  public func hash(_ bytes: [UInt8]) throws -> [UInt8] { try digest(of: bytes.span) }

  /// Hashes bytes. Usable from any thread.
  public func hash(_ bytes: Span<UInt8>) throws -> [UInt8] { try digest(of: bytes) }

  package func digest(of bytes: [UInt8]) throws(AuthError) -> [UInt8] { try digest(of: bytes.span) }

  package func digest(of bytes: Span<UInt8>) throws(AuthError) -> [UInt8] {
    Steps.add(bytes.count)
    let algorithm = try unsafe fetched.get()
    var digest = Array(repeating: UInt8(0), count: length)
    // `unsafe`: the digest has as many bytes as this function writes, and the input has the length that is passed.
    let answer = unsafe digest.withUnsafeMutableBufferPointer { digest in
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe EVP_Digest(bytes.baseAddress, bytes.count, digest.baseAddress, nil, algorithm, nil)
      }
    }
    try OpenSSL.check(answer, "hashing")
    return digest
  }

  /// OpenSSL's name of the hash.
  var name: String {
    switch self {
    case .sha256: "SHA256"
    case .sha384: "SHA384"
    case .sha512: "SHA512"
    }
  }

  var fetched: Fetched {
    switch self {
    case .sha256: .sha256
    case .sha384: .sha384
    case .sha512: .sha512
    }
  }
}
