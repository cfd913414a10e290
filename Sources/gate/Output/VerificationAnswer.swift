import GatehouseBase
import GatehouseJOSE

// What `gate verify` answers to programs.
extension JSONObject {
  static func valid(_ token: VerifiedToken) -> JSONObject { ["valid": true, "claims": .object(token.claims)] }

  static func valid(_ message: VerifiedMessage) -> JSONObject {
    ["valid": true, "payload": .string(Base64URL.encode(message.payload))]
  }

  /// The code's name for programs, the words for people.
  static func refused(_ error: AuthError) -> JSONObject {
    var answer: JSONObject = [
      "valid": false, "reason": .string("\(error.code)"), "message": .string(error.message),
    ]
    answer["retryAfter"] = error.retryAfter?.json
    return answer
  }
}
