import CGatehouseOpenSSL

/// Bytes that must not be seen. Overwritten when the last reference goes; prints `•••` however it is printed.
///
/// `@unchecked`: nothing changes the bytes once they are there. `@safe`: it alone holds the memory that it frees.
@safe
public final class SecretBytes: @unchecked Sendable {
  private let buffer: UnsafeMutableBufferPointer<UInt8>

  /// A copy of some bytes.
  public convenience init(_ bytes: [UInt8]) {
    self.init(count: bytes.count) { unsafe _ = $0.update(fromContentsOf: bytes) }
  }

  /// Takes the bytes out of an array, and overwrites what was there.
  public convenience init(moving bytes: inout [UInt8]) {
    self.init(bytes)
    bytes.cleanse()
    bytes = []
  }

  /// As many bytes as `fill` writes.
  @safe init<Failure>(
    count: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
    unsafe buffer.initialize(repeating: 0)
    unsafe self.buffer = buffer
    try unsafe fill(buffer)
  }

  public var count: Int { unsafe buffer.count }

  /// Lends the bytes to a piece of work.
  public func withBytes<Result: ~Copyable, Failure>(
    _ work: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    return try work(unsafe Span(_unsafeElements: UnsafeBufferPointer(buffer)))
  }

  /// A copy of the bytes that nobody overwrites.
  public var revealed: [UInt8] { unsafe Array(buffer) }

  deinit {
    unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
    unsafe buffer.deallocate()
  }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
  public var description: String { "•••" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
