import CRaw
import Glibc

/// A key of OpenSSL's own making, for the raw loops. Lives as long as the process.
public struct RawKey: @unchecked Sendable {  // OpenSSL counts references atomically, and nothing changes the key
  let pointer: OpaquePointer
  public let algorithm: SampleAlgorithm

  public init(_ algorithm: SampleAlgorithm) throws {
    guard let pointer = raw_key_generate(algorithm.kind) else { throw SampleError("OpenSSL made no key") }
    self.pointer = pointer
    self.algorithm = algorithm
  }

  /// The private key in PEM; empty for a shared secret.
  public var privatePEM: String { Self.text(raw_key_private_pem(pointer)) }
  /// The public key in PEM; empty for a shared secret.
  public var publicPEM: String { Self.text(raw_key_public_pem(pointer)) }
  /// The bytes of a shared secret; empty for a key pair.
  public var secret: [UInt8] {
    guard let bytes = raw_key_secret(pointer) else { return [] }
    return Array(UnsafeBufferPointer(start: bytes, count: 32))
  }

  private static func text(_ text: UnsafeMutablePointer<CChar>?) -> String {
    guard let text else { return "" }
    defer { free(text) }
    return String(cString: text)
  }
}

/// Why there is nothing to measure.
public struct SampleError: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}
