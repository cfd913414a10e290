import GatehouseBase
import GatehouseJOSE
import IdentityToolkit

/// A call whose outcome is recorded in the audit log.
protocol AuditedCall<Response>: Call {
  /// Returns the events of a completed call.
  ///
  /// - Parameter outcome: the response, or the refusal that the caller gets.
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent]
}

extension AuditedCall {
  /// Returns the event of a refused sign-in. A request for a second factor is recorded as such, not as a refusal.
  fileprivate func refusal(
    _ error: AuthError, _ method: String, _ email: String?, at now: Moment
  ) -> [AuditEvent] {
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

  /// Returns the event of tokens that were issued.
  fileprivate func event(
    _ kind: AuditEvent.Kind, _ idToken: Secret?, _ method: String? = nil, email: String? = nil, at now: Moment
  ) -> AuditEvent {
    var event = AuditEvent(kind, at: now)
    // The provider's own token, or one that the call has verified.
    let token = idToken.flatMap { try? UnverifiedToken($0.revealed) }
    event["uid"] = token?.subject
    event["email"] = email
    event["session"] = token?["sid"]?.string
    event["tenant"] = token?["firebase"]?["tenant"]?.string
    event["method"] = method
    return event
  }
}

extension SignUp: AuditedCall {
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    let method = email == nil ? "anonymous" : "password"
    switch outcome {
    case .success(let answer): return [event(.signUp, answer.idToken, method, email: answer.email, at: now)]
    case .failure: return []
    }
  }
}

extension SignInWithPassword: AuditedCall {
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    switch outcome {
    case .success(let answer): [event(.signIn, answer.idToken, "password", email: answer.email, at: now)]
    case .failure(let error): refusal(error, "password", email, at: now)
    }
  }
}

extension SignInWithEmailLink: AuditedCall {
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    switch outcome {
    case .success(let answer): [event(.signIn, answer.idToken, "emailLink", email: answer.email, at: now)]
    case .failure(let error): refusal(error, "emailLink", email, at: now)
    }
  }
}

extension SignInWithCustomToken: AuditedCall {
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    switch outcome {
    case .success(let answer): [event(.signIn, answer.idToken, "custom", at: now)]
    case .failure(let error): refusal(error, "custom", nil, at: now)
    }
  }
}

extension SignInWithPhoneNumber: AuditedCall {
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    switch outcome {
    // Without a token, the number belongs to another account.
    case .success(let answer): answer.idToken == nil ? [] : [event(.signIn, answer.idToken, "phone", at: now)]
    case .failure(let error): refusal(error, "phone", nil, at: now)
    }
  }
}

extension SignInWithIdp: AuditedCall {
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    switch outcome {
    case .success(let answer):
      answer.idToken == nil ? [] : [event(.signIn, answer.idToken, answer.providerId, email: answer.email, at: now)]
    case .failure(let error): refusal(error, "identity", nil, at: now)
    }
  }
}

extension FinalizeMfaSignIn: AuditedCall {
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    let method = (try? FactorProof(self))?.kind ?? StoredSecondFactor.totp
    switch outcome {
    case .success(let answer): return [event(.signIn, answer.idToken, method, at: now)]
    case .failure(let error): return refusal(error, method, error.email, at: now)
    }
  }
}

extension FinalizeMfaEnrollment: AuditedCall {
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    guard case .success(let answer) = outcome else { return [] }
    return [event(.secondFactorEnrolled, answer.idToken, at: now)]
  }
}

extension WithdrawMfa: AuditedCall {
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    guard case .success(let answer) = outcome else { return [] }
    return [event(.secondFactorWithdrawn, answer.idToken, at: now)]
  }
}

extension MakeRecoveryCodes: AuditedCall {
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    guard case .success = outcome else { return [] }
    return [event(.recoveryCodesMade, idToken, at: now)]
  }
}

extension Update: AuditedCall {
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    guard case .success(let answer) = outcome else { return [] }
    var kinds: [AuditEvent.Kind] = []
    if password != nil { kinds.append(.passwordChanged) }
    if email != nil { kinds.append(.emailChanged) }
    // A code verifies an address, or changes the account's address.
    if oobCode != nil { kinds.append(.emailVerified) }
    if deleteProvider?.isEmpty == false { kinds.append(.signInMethodRemoved) }
    return kinds.map { kind in
      var event = AuditEvent(kind, at: now)
      event["uid"] = answer.localId
      event["email"] = answer.email
      return event
    }
  }
}

extension ResetPassword: AuditedCall {
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    guard newPassword != nil, case .success(let answer) = outcome else { return [] }
    var event = AuditEvent(.passwordReset, at: now)
    event["email"] = answer.email
    return [event]
  }
}

extension RevokeSessions: AuditedCall {
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    guard case .success = outcome else { return [] }
    return [event(.sessionsRevoked, idToken, sessionId == nil ? "all" : "one", at: now)]
  }
}

extension Delete: AuditedCall {
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    guard case .success = outcome else { return [] }
    return [event(.accountDeleted, idToken, at: now)]
  }
}

extension ExchangeRefreshToken: AuditedCall {
  /// A refresh is not recorded. A token that is used twice is recorded: it was stolen, or an answer was lost.
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    guard case .failure(let error) = outcome, error.isReuse else { return [] }
    return [AuditEvent(.refreshTokenReused, at: now)]
  }
}
