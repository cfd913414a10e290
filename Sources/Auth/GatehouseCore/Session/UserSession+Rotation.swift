import GatehouseBase
import GatehouseCrypto

// The rotation of a session's refresh token.
//
//     `rotation`                    the refresh token
//     nil                           is not known to be replaced by a refresh
//     nothing is being spent        is not spent
//     this token is being spent     may be spent: a request is in flight, or had no answer. It is sent again, because
//                                   the provider repeats its answer for a while. If the provider refuses it, the user
//                                   must sign in again
//     another token                 is not spent: it came after that one
extension UserSession {
  /// Whether the refresh token was sent, and has no answer yet.
  var mayBeSpent: Bool {
    guard let noted = rotation?.spending?.split(separator: ".").first else { return false }
    return (try? tokens.fingerprint()).map { noted == $0 } ?? false
  }
}

extension SessionTokens {
  /// Returns a text by which the refresh token can be recognized and not found: 64 bits of its SHA-256 hash.
  func fingerprint() throws(AuthError) -> String {
    Base64URL.encode(Array(try HashAlgorithm.sha256.digest(of: Array(refreshToken.revealed.utf8)).prefix(8)))
  }
}

extension AuthError {
  /// This refusal of a refresh token, with the reason that the token may have been spent before.
  var afterLostAnswer: AuthError {
    AuthError(
      code,
      "an earlier refresh had no answer, and its refresh token, sent again, was refused, so that it is spent; sign in "
        + "again (\(message))",
      email: email, retryAfter: retryAfter, serverCode: serverCode)
  }
}
