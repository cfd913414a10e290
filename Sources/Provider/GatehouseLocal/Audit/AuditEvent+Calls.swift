import GatehouseBase
import GatehouseJOSE

extension AuditEvent {
  /// Makes the event of tokens that were issued, or of a change by the bearer of an ID token.
  ///
  /// - Parameter idToken: the provider's own token, or one that the call has verified.
  init(_ kind: Kind, _ idToken: Secret?, _ method: String? = nil, email: String? = nil, at now: Moment) {
    self.init(kind, at: now)
    let token: (any TokenClaims)? = idToken.flatMap { token in
      // An emulator may leave its tokens unsigned.
      (try? UnverifiedToken(token.revealed)) ?? (try? UnsecuredToken(token.revealed))
    }
    self["uid"] = token?.subject
    self["email"] = email
    self["session"] = token?["sid"]?.string
    self["tenant"] = token?["firebase"]?["tenant"]?.string
    self["method"] = method
  }

  /// Returns the event of a refused sign-in. A request for a second factor is recorded as such, not as a refusal.
  static func refusal(_ error: AuthError, _ method: String, _ email: String? = nil, at now: Moment) -> [AuditEvent] {
    guard error.serverCode != nil || error.code == .secondFactorRequired else { return [] }
    let kind: AuditEvent.Kind =
      switch error.code {
      case .secondFactorRequired: .signInNeedsSecondFactor
      case .tooManyRequests: .lockedOut
      default: .signInFailed
      }
    var event = AuditEvent(kind, at: now)
    event["email"] = email.map { (try? EmailAddress($0).text) ?? $0.printable() }
    // The sign-in may have added an identity to the account.
    event["uid"] = error.pendingSignIn?.uid
    event["method"] = method
    event["reason"] = error.code == .secondFactorRequired ? nil : error.serverCode
    return [event]
  }
}
