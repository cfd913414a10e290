import GatehouseBase
import IdentityToolkit

extension ExchangeRefreshToken {
  /// Returns a server's answer with the members that OAuth lets a server leave out (RFC 6749 §5.1 and §6): without
  /// `refresh_token` the one that was sent is used on, the `token_type` of these calls is `Bearer`, and without
  /// `expires_in` the ID token states its lifetime.
  ///
  /// - Parameter received: the wall clock at the receipt, in seconds since 1970.
  func completed(_ answer: [UInt8], received: Double) -> [UInt8] {
    guard var members = try? JSONObject(reading: answer) else { return answer }
    func isMissing(_ name: String) -> Bool {
      guard let value = members[name] else { return true }
      return value.isNull || value.string?.isEmpty == true
    }
    if isMissing("refresh_token") { members["refresh_token"] = .string(refreshToken.revealed) }
    if isMissing("token_type") { members["token_type"] = "Bearer" }
    if isMissing("expires_in") {
      let token = members["id_token"]?.string.flatMap { UnverifiedIDToken(Secret($0)) }
      let seconds = token?.lifetimeSeconds(received: received) ?? UnverifiedIDToken.assumedLifetime
      members["expires_in"] = .string(String(Int64(clamping: seconds)))
    }
    return members.serialized()
  }
}
