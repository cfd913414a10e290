import CGatehouseOpenSSL
import GatehouseBase

/// A context that is set up for one operation with one RSA or EC key over SHA-256 digests.
///
/// Setting up takes locks that all threads share; copying takes none. `@unchecked`: nothing changes the context once
/// it is set up, each operation works on its own copy. `@safe`: it holds a reference of its own until it goes.
@safe
final class ReadyContext: @unchecked Sendable {
  private let context: OpaquePointer

  @safe init(_ key: PKey, isRSA: Bool, begin: (OpaquePointer?) -> Int32) throws(AuthError) {
    // `unsafe`: C; a context that is only half set up is freed by its owner, a whole one by this object.
    let draft = try Owned(unsafe EVP_PKEY_CTX_new_from_pkey(OpenSSL.context, key.raw, nil), "setting up a key") {
      unsafe EVP_PKEY_CTX_free($0)
    }
    let digest = try unsafe Fetched.sha256.get()
    try OpenSSL.check(unsafe begin(draft.raw), "setting up a key")
    if isRSA {
      try OpenSSL.check(unsafe EVP_PKEY_CTX_set_rsa_padding(draft.raw, RSA_PKCS1_PADDING), "setting up a key")
    }
    try OpenSSL.check(unsafe EVP_PKEY_CTX_set_signature_md(draft.raw, digest), "setting up a key")
    guard let context = unsafe EVP_PKEY_CTX_dup(draft.raw) else { throw OpenSSL.failure("setting up a key") }
    unsafe self.context = context
  }

  /// A context of one's own, for one operation.
  func copy() throws(AuthError) -> Owned {
    try Owned(unsafe EVP_PKEY_CTX_dup(context), "setting up a key") { unsafe EVP_PKEY_CTX_free($0) }
  }

  deinit { unsafe EVP_PKEY_CTX_free(context) }
}
