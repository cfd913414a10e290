import CGatehouseOpenSSL

/// A list of named parameters for OpenSSL, with the memory that it points into.
///
/// `@safe`: the memory lives as long as this value. It is overwritten before it is freed, because it may contain
/// secrets.
@safe
struct ParameterList: ~Copyable {
  private var list: [OSSL_PARAM] = unsafe []
  private var blocks: [UnsafeMutableRawBufferPointer] = unsafe []

  init() {}

  /// Adds a big-endian number of any size.
  mutating func add(_ name: String, number: [UInt8]) { add(name, number: number.span) }

  /// Adds a secret big-endian number of any size.
  mutating func add(_ name: String, number: SecretBytes) { number.withBytes { add(name, number: $0) } }

  private mutating func add(_ name: String, number: Span<UInt8>) {
    let block = unsafe keep(number)
    // OpenSSL expects native byte order.
    if UInt(1).littleEndian == 1 {
      var digits = unsafe UnsafeMutableRawBufferPointer(rebasing: block[..<number.count])
      unsafe digits.reverse()
    }
    let start = unsafe block.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe list.append(OSSL_PARAM_construct_BN(keep(name: name), start, number.count))
  }

  mutating func add(_ name: String, bytes: [UInt8]) { add(name, bytes: bytes.span) }

  mutating func add(_ name: String, bytes: Span<UInt8>) {
    let block = unsafe keep(bytes)
    unsafe list.append(OSSL_PARAM_construct_octet_string(keep(name: name), block.baseAddress, bytes.count))
  }

  mutating func add(_ name: String, text: String) {
    let start = unsafe keep(name: text)
    unsafe list.append(OSSL_PARAM_construct_utf8_string(keep(name: name), start, 0))
  }

  mutating func add(_ name: String, value: UInt64) {
    // `unsafe`: reads eight bytes of a local value.
    let bytes = unsafe withUnsafeBytes(of: value) { unsafe Array($0) }
    let block = unsafe keep(bytes.span)
    let start = unsafe block.baseAddress?.assumingMemoryBound(to: UInt64.self)
    unsafe list.append(OSSL_PARAM_construct_uint64(keep(name: name), start))
  }

  /// Passes the list to a call. The pointer must not escape it.
  @safe func withList<Result>(_ body: (UnsafeMutablePointer<OSSL_PARAM>?) -> Result) -> Result {
    var ended = unsafe list
    unsafe ended.append(OSSL_PARAM_construct_end())
    return unsafe ended.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress) }
  }

  private mutating func keep(name: String) -> UnsafeMutablePointer<CChar>? {
    let bytes = Array(name.utf8) + [0]
    let block = unsafe keep(bytes.span)
    return unsafe block.baseAddress?.assumingMemoryBound(to: CChar.self)
  }

  private mutating func keep(_ bytes: Span<UInt8>) -> UnsafeMutableRawBufferPointer {
    // Aligned for numbers; never empty, so that it always has an address.
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 8)
    unsafe bytes.withUnsafeBytes { unsafe block.copyMemory(from: $0) }
    unsafe blocks.append(block)
    return unsafe block
  }

  deinit {
    unsafe blocks.forEach { block in
      unsafe OPENSSL_cleanse(block.baseAddress, block.count)
      unsafe block.deallocate()
    }
  }
}
