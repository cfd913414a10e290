import CGatehouseOpenSSL
import GatehouseBase

/// One run of an OpenSSL key derivation.
enum KeyDerivation {
  /// - Parameter name: the name in error messages.
  static func run(
    _ algorithm: Fetched, _ parameters: borrowing ParameterList, count: Int, _ name: StaticString
  ) throws(AuthError) -> [UInt8] {
    let algorithm = try unsafe algorithm.get()
    // `unsafe`: C; the context is freed once, by its owner.
    let context = try Owned(unsafe EVP_KDF_CTX_new(algorithm), name) { unsafe EVP_KDF_CTX_free($0) }
    var output = Array(repeating: UInt8(0), count: count)
    // `unsafe`: the buffer has the length that is passed.
    let answer = unsafe output.withUnsafeMutableBufferPointer { output in
      parameters.withList { unsafe EVP_KDF_derive(context.raw, output.baseAddress, output.count, $0) }
    }
    try OpenSSL.check(answer, name)
    return output
  }
}
