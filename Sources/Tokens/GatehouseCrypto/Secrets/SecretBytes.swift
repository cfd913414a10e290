import CGatehouseOpenSSL

/// Bytes that must not be seen: a shared secret, or a number of a private key.
///
/// They are overwritten when the last reference goes. Prints `•••` however it is printed, and shows nothing to a
/// mirror. Equal in a time that depends on the lengths only.
///
/// `@unchecked`: nothing changes the bytes once they are there. `@safe`: it alone holds the memory that it frees.
@safe
public final class SecretBytes: @unchecked Sendable {
  private let buffer: UnsafeMutableBufferPointer<UInt8>

  /// Copies bytes; the caller's array is left as it is.
  public convenience init(_ bytes: [UInt8]) {
    self.init(count: bytes.count) { unsafe _ = $0.update(fromContentsOf: bytes) }
  }

  /// Takes the bytes out of an array, and overwrites what was there.
  public convenience init(moving bytes: inout [UInt8]) {
    self.init(bytes)
    // `unsafe`: the buffer holds the count that is passed.
    unsafe bytes.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    bytes = []
  }

  /// As many bytes as `fill` writes into the memory that it is lent; they are zero before.
  @safe init<Failure>(
    count: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
    unsafe buffer.initialize(repeating: 0)
    unsafe self.buffer = buffer
    try unsafe fill(buffer)
  }

  /// Length in bytes.
  public var count: Int { unsafe buffer.count }

  /// Lends the bytes to a piece of work.
  public func withBytes<Result: ~Copyable, Failure>(
    _ work: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // `unsafe`: the span ends with the call, and this object is held until then.
    defer { withExtendedLifetime(self) {} }
    return try work(unsafe Span(_unsafeElements: UnsafeBufferPointer(buffer)))
  }

  /// A copy of the bytes, which is not overwritten later. Search for this name to find where secrets go.
  public var revealed: [UInt8] { unsafe Array(buffer) }

  deinit {
    unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
    unsafe buffer.deallocate()
  }
}

extension SecretBytes: Equatable {
  /// Whether both hold the same bytes, in a time that depends on the lengths only.
  public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
    left.withBytes { left in right.withBytes { right in constantTimeEquals(left, right) } }
  }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
  /// `•••`.
  public var description: String { "•••" }
  /// Empty.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
