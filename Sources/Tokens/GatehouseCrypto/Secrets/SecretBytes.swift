import CGatehouseOpenSSL

/// Bytes that must stay secret: a shared secret, or a number of a private key.
///
/// They are overwritten when the last reference is released. Every way of printing them gives `•••`, and a mirror shows
/// nothing. Comparing them takes a time that depends only on the lengths.
///
/// `@unchecked`: the bytes never change once they are set. `@safe`: only this object has the memory that it frees.
@safe
public final class SecretBytes: @unchecked Sendable {
  private let buffer: UnsafeMutableBufferPointer<UInt8>

  /// Copies bytes. The caller's array stays as it is.
  public convenience init(_ bytes: [UInt8]) {
    self.init(count: bytes.count) { unsafe _ = $0.update(fromContentsOf: bytes) }
  }

  /// Moves the bytes out of an array, and overwrites them there.
  public convenience init(moving bytes: inout [UInt8]) {
    self.init(bytes)
    // `unsafe`: the buffer has the length that is passed.
    unsafe bytes.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    bytes = []
  }

  /// Makes `count` bytes, which `fill` writes. They are zero before.
  @safe init<Failure>(
    count: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
    unsafe buffer.initialize(repeating: 0)
    unsafe self.buffer = buffer
    try unsafe fill(buffer)
  }

  /// The length in bytes.
  public var count: Int { unsafe buffer.count }

  /// Passes the bytes to a closure.
  public func withBytes<Result: ~Copyable, Failure>(
    _ work: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // `unsafe`: the span ends with the call, and this object is kept alive until then.
    defer { withExtendedLifetime(self) {} }
    return try work(unsafe Span(_unsafeElements: UnsafeBufferPointer(buffer)))
  }

  /// A copy of the bytes, which is not overwritten later. Search for this name to find where secrets are exposed.
  public var revealed: [UInt8] { unsafe Array(buffer) }

  deinit {
    unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
    unsafe buffer.deallocate()
  }
}

extension SecretBytes: Equatable {
  /// Whether both have the same bytes. The time depends only on the lengths.
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
