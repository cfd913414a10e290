import CRaw

/// OpenSSL in a loop, over one message. Belongs to the thread that made it.
public final class RawContext {
  private let context: OpaquePointer
  private let message: [UInt8]
  private let signature: [UInt8]

  /// Signs the message once, to have something to verify.
  public init(_ key: RawKey, message: [UInt8]) throws {
    guard let context = raw_context_new(key.pointer) else { throw SampleError("OpenSSL made no context") }
    self.context = context
    self.message = message
    var signature = [UInt8](repeating: 0, count: Self.room)
    var length = signature.count
    guard raw_sign(context, message, message.count, &signature, &length, 1) == 1 else {
      raw_context_free(context)
      throw SampleError("OpenSSL did not sign")
    }
    self.signature = Array(signature.prefix(length))
  }

  private static let room = 512

  /// Verifies `count` times.
  public func verify(_ count: Int) throws {
    let valid = raw_verify(context, message, message.count, signature, signature.count, count)
    guard valid == count else { throw SampleError("OpenSSL refused its own signature") }
  }

  /// Signs `count` times.
  public func sign(_ count: Int) throws {
    let signed = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.room) { signature in
      var length = signature.count
      return raw_sign(context, message, message.count, signature.baseAddress, &length, count)
    }
    guard signed == count else { throw SampleError("OpenSSL did not sign") }
  }

  deinit { raw_context_free(context) }
}
