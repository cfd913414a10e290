public import Gatehouse

/// Firebase's delegate for the screens of a captcha. There are none here: pass `nil`.
public protocol AuthUIDelegate: AnyObject {}

// Firebase's forms. Each does what the `async` form without `uiDelegate:` does; a delegate is never called.
extension PhoneAuthProvider {
  /// Sends a code to a phone, through the provider's message delivery.
  ///
  /// - Throws: `.missingPhoneNumber`, `.invalidPhoneNumber`, `.tooManyRequests`, `.operationNotAllowed`, …
  public func verifyPhoneNumber(_ phoneNumber: String, uiDelegate: (any AuthUIDelegate)?) async throws -> String {
    try await verifyPhoneNumber(phoneNumber)
  }

  /// Sends a code to a phone, and passes the message's identifier.
  @preconcurrency
  public func verifyPhoneNumber(
    _ phoneNumber: String, uiDelegate: (any AuthUIDelegate)? = nil,
    @_inheritActorContext completion: FirebaseCompletion<String>?
  ) {
    verifyPhoneNumber(phoneNumber, completion: callbacks.passing(to: completion))
  }

  /// Sends a code to a phone that will be a second factor, with a session from `MultiFactor.session()`.
  ///
  /// - Throws: `.unverifiedEmail`, `.requiresRecentLogin`, `.invalidPhoneNumber`, …; `.invalidArgument` for the session
  ///   of a waiting sign-in.
  public func verifyPhoneNumber(
    _ phoneNumber: String, uiDelegate: (any AuthUIDelegate)?, multiFactorSession: MultiFactorSession
  ) async throws -> String {
    try await verifyPhoneNumber(phoneNumber, multiFactorSession: multiFactorSession)
  }

  /// Sends a code to a phone that will be a second factor, and passes the message's identifier.
  @preconcurrency
  public func verifyPhoneNumber(
    _ phoneNumber: String, uiDelegate: (any AuthUIDelegate)? = nil, multiFactorSession: MultiFactorSession,
    @_inheritActorContext completion: FirebaseCompletion<String>?
  ) {
    verifyPhoneNumber(
      phoneNumber, multiFactorSession: multiFactorSession, completion: callbacks.passing(to: completion))
  }

  /// Sends a code to a phone that is the second factor of a waiting sign-in.
  ///
  /// - Parameters:
  ///   - multiFactorInfo: one of `MultiFactorResolver.hints`, cast to its class.
  ///   - uiDelegate: `nil`.
  ///   - multiFactorSession: `MultiFactorResolver.session`.
  /// - Throws: `.invalidMultiFactorSession` if the sign-in has waited too long, `.multiFactorInfoNotFound`, …;
  ///   `.invalidArgument` for the session of an enrollment.
  public func verifyPhoneNumber(
    with multiFactorInfo: PhoneMultiFactorInfo, uiDelegate: (any AuthUIDelegate)?,
    multiFactorSession: MultiFactorSession
  ) async throws -> String {
    try await verifyPhoneNumber(with: multiFactorInfo.factor, multiFactorSession: multiFactorSession)
  }

  /// Sends a code to a phone that is the second factor of a waiting sign-in, and passes the message's identifier.
  @preconcurrency
  public func verifyPhoneNumber(
    with multiFactorInfo: PhoneMultiFactorInfo, uiDelegate: (any AuthUIDelegate)? = nil,
    multiFactorSession: MultiFactorSession,
    @_inheritActorContext completion: FirebaseCompletion<String>?
  ) {
    verifyPhoneNumber(
      with: multiFactorInfo.factor, multiFactorSession: multiFactorSession,
      completion: callbacks.passing(to: completion))
  }
}
