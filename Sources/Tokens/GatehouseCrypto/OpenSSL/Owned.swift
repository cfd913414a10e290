import GatehouseBase

/// An OpenSSL object, freed when it goes out of scope: contexts, BIOs and numbers that live for one call.
///
/// `@safe`: only this value has the reference that it frees.
@safe
struct Owned: ~Copyable {
  private let pointer: OpaquePointer
  private let free: (OpaquePointer?) -> Void

  /// Takes ownership of the result of a call; null means that the call failed.
  @safe init(_ pointer: OpaquePointer?, _ what: StaticString, freedBy free: @escaping (OpaquePointer?) -> Void)
    throws(AuthError)
  {
    guard let pointer = unsafe pointer else { throw OpenSSL.failure(what) }
    unsafe self.pointer = pointer
    unsafe self.free = free
  }

  /// Valid until this value goes out of scope.
  var raw: OpaquePointer { unsafe pointer }

  deinit { unsafe free(pointer) }
}
