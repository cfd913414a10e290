import GatehouseBase
import IdentityToolkit

extension SessionTokens {
  init(_ response: SignInResponse, received: ClockReading) {
    self.init(
      idToken: response.idToken, refreshToken: response.refreshToken, lifetime: Double(response.expiresIn.value),
      received: received)
  }

  init(_ response: ExchangeRefreshToken.Response, received: ClockReading) {
    self.init(
      idToken: response.idToken, refreshToken: response.refreshToken, lifetime: Double(response.expiresIn.value),
      received: received)
  }

  /// Nil when the change brought no tokens, because it revoked none.
  init?(_ response: Update.Response, received: ClockReading) {
    guard let idToken = response.idToken, let refreshToken = response.refreshToken else { return nil }
    self.init(
      idToken: idToken, refreshToken: refreshToken, lifetime: Double(response.expiresIn?.value ?? 0),
      received: received)
  }
}
