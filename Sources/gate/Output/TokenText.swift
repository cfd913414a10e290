import Gatehouse
import GatehouseBase
import GatehouseJOSE

/// How a token is written: bare, or as JSON with the time at which it expires.
struct TokenText: Sendable {
  let asJSON: Bool

  func text(of token: String) throws(AuthError) -> String {
    guard asJSON else { return token }
    var json: JSONObject = ["token": .string(token)]
    // As the token itself spells it: seconds since 1970.
    json["expires"] = try TokenAnatomy(token).claims?["exp"]
    return "\(json)"
  }
}

extension User {
  /// Returns the ID token for other programs: one line, in the form of a token, and of this user. Refuses anything else
  /// that a server returned. An emulator's tokens need no signature.
  func tokenToHandOut(forcingRefresh: Bool = false) async throws(AuthError) -> String {
    let token = try await typed { try await getIDToken(forcingRefresh: forcingRefresh) }
    let claims: JSONObject?
    do throws(AuthError) { claims = try TokenAnatomy(token).claims } catch {
      throw AuthError(.responseInvalid, "the server returned what is no token: \(error.message)")
    }
    for name in ["sub", "user_id"] {
      guard let named = claims?[name], named.string?.isExactly(uid) != true else { continue }
      throw AuthError(.responseInvalid, "the server returned a token of another user than \(line)")
    }
    return token
  }
}
