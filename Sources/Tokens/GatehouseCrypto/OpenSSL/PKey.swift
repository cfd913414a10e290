import CGatehouseOpenSSL
import GatehouseBase

/// A shared `EVP_PKEY`.
///
/// `@unchecked`: OpenSSL counts references atomically, and a key never changes after it is made. `@safe`: the object
/// has its own reference.
@safe
final class PKey: @unchecked Sendable {
  private let pointer: OpaquePointer

  /// Takes ownership of the result of a call; null means that the call failed.
  @safe init(_ pointer: OpaquePointer?, _ what: StaticString) throws(AuthError) {
    guard let pointer = unsafe pointer else { throw OpenSSL.failure(what, code: .keyInvalid) }
    unsafe self.pointer = pointer
  }

  /// Makes a key from its numbers. OpenSSL checks that a point is on its curve; the caller checks the sizes.
  convenience init(_ kind: String, _ parameters: borrowing ParameterList, selection: Int32) throws(AuthError) {
    // `unsafe`: C; the context is freed once, by its owner, and the list lives until the call is over.
    let context = try Owned(unsafe EVP_PKEY_CTX_new_from_name(OpenSSL.context, kind, nil), "making a key") {
      unsafe EVP_PKEY_CTX_free($0)
    }
    var key: OpaquePointer? = nil
    try OpenSSL.check(unsafe EVP_PKEY_fromdata_init(context.raw), "making a key")
    _ = parameters.withList { unsafe EVP_PKEY_fromdata(context.raw, &key, selection, $0) }
    try self.init(key, "reading a key's numbers")
  }

  /// Valid while this object lives.
  var raw: OpaquePointer { unsafe pointer }

  /// Whether the key is of the kind with this OpenSSL name.
  func isA(_ kind: String) -> Bool { unsafe EVP_PKEY_is_a(raw, kind) == 1 }

  /// One of the key's numbers, big-endian: `length` bytes, or as many as needed.
  func number(_ name: String, length: Int? = nil) throws(AuthError) -> [UInt8] {
    try secretNumber(name, length: length).revealed
  }

  /// One of the key's secret numbers, big-endian: `length` bytes, or as many as needed.
  func secretNumber(_ name: String, length: Int? = nil) throws(AuthError) -> SecretBytes {
    var value: OpaquePointer? = nil
    // `unsafe`: C; the number is overwritten and freed by its owner, and the buffer has the length that is passed.
    _ = unsafe EVP_PKEY_get_bn_param(raw, name, &value)
    let number = try Owned(value, "reading a key") { unsafe BN_clear_free($0) }
    let count = length ?? (Int(unsafe BN_num_bits(number.raw)) + 7) / 8
    return try SecretBytes(count: count) { buffer throws(AuthError) in
      let written = unsafe BN_bn2binpad(number.raw, buffer.baseAddress, Int32(buffer.count))
      guard Int(written) == count else { throw OpenSSL.failure("reading a key") }
    }
  }

  /// The number of bits in one of the key's numbers; `nil` if it has no such number.
  func bitCount(_ name: String) -> Int? {
    var value: OpaquePointer? = nil
    // `unsafe`: C; the number is overwritten and freed here.
    guard unsafe EVP_PKEY_get_bn_param(raw, name, &value) == 1 else {
      OpenSSL.drain()
      return nil
    }
    defer { unsafe BN_clear_free(value) }
    return Int(unsafe BN_num_bits(value))
  }

  /// The bytes of a key on one of RFC 8037's curves, from `read`.
  @safe func rawBytes(
    _ count: Int, _ read: (OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?) -> Int32
  ) throws(AuthError) -> SecretBytes {
    // `unsafe`: the buffer has the length that is passed.
    try SecretBytes(count: count) { buffer throws(AuthError) in
      var written = buffer.count
      try OpenSSL.check(unsafe read(raw, buffer.baseAddress, &written), "reading a key")
      guard written == count else { throw AuthError(.keyInvalid, "the key must have \(count) bytes") }
    }
  }

  deinit { unsafe EVP_PKEY_free(pointer) }
}
