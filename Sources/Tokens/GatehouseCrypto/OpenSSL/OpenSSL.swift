import CGatehouseOpenSSL
import GatehouseBase

/// OpenSSL's error queue on this thread, for tests: it must always be empty.
package enum OpenSSLErrors {
  /// Whether this thread's error queue is empty.
  package static var areNone: Bool { ERR_peek_error() == 0 }
}

/// Interprets OpenSSL's return values.
///
/// Its errors are in a queue that belongs to the thread, and `await` changes threads. So code that calls OpenSSL
/// empties the queue after a failed call in the same synchronous function.
enum OpenSSL {
  private static let started: Void = {
    // No clean-up at exit: other threads may still be signing.
    _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
  }()

  /// The library context for all objects: the default one, after OpenSSL is set up.
  static var context: OpaquePointer? {
    _ = started
    return nil
  }

  /// Passes if a call returned 1 or another positive number.
  static func check(_ answer: Int32, _ what: StaticString) throws(AuthError) {
    guard answer > 0 else { throw failure(what) }
  }

  /// The error of a failed call, with OpenSSL's reason. Empties this thread's error queue.
  static func failure(_ what: StaticString, code: AuthError.Code = .cryptoFailed) -> AuthError {
    let number = ERR_peek_last_error()
    // `unsafe`: the text is a constant of the library, or null.
    let reason = unsafe ERR_reason_error_string(number).map { unsafe String(cString: $0) }
    drain()
    return AuthError(code, "\(what) failed: \(reason ?? "no reason given by OpenSSL")")
  }

  /// OpenSSL's reason code of the oldest error; 0 if there is none.
  static var firstReason: Int32 { ERR_GET_REASON(ERR_peek_error()) }

  /// Empties this thread's error queue.
  static func drain() { ERR_clear_error() }
}
