import GatehouseBase
import GatehouseJOSE

// The answers of `gate verify` for programs.
extension JSONObject {
  static func valid(_ token: VerifiedToken) -> JSONObject { ["valid": true, "claims": .object(token.claims)] }

  static func valid(_ message: VerifiedMessage) -> JSONObject {
    ["valid": true, "payload": .string(Base64URL.encode(message.payload))]
  }

  /// The code is for programs, the message for people.
  static func refused(_ error: AuthError) -> JSONObject {
    var answer: JSONObject = [
      "valid": false, "reason": .string("\(error.code)"), "message": .string(error.message),
    ]
    answer["retryAfter"] = error.retryAfter?.json
    return answer
  }
}
