public import Gatehouse
import GatehouseQueues

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
  /// - Parameter multiFactorSession: `nil` for a phone that is no second factor, as in Firebase.
  /// - Throws: `.unverifiedEmail`, `.requiresRecentLogin`, `.invalidPhoneNumber`, …; `.invalidArgument` for the session
  ///   of a waiting sign-in.
  public func verifyPhoneNumber(
    _ phoneNumber: String, uiDelegate: (any AuthUIDelegate)?, multiFactorSession: MultiFactorSession?
  ) async throws -> String {
    guard let multiFactorSession else { return try await verifyPhoneNumber(phoneNumber) }
    return try await verifyPhoneNumber(phoneNumber, multiFactorSession: multiFactorSession)
  }

  /// Sends a code to a phone that will be a second factor, and passes the message's identifier.
  @preconcurrency
  public func verifyPhoneNumber(
    _ phoneNumber: String, uiDelegate: (any AuthUIDelegate)? = nil, multiFactorSession: MultiFactorSession?,
    @_inheritActorContext completion: FirebaseCompletion<String>?
  ) {
    let passing = callbacks.passing(to: completion)
    guard let multiFactorSession else { return verifyPhoneNumber(phoneNumber, completion: passing) }
    verifyPhoneNumber(phoneNumber, multiFactorSession: multiFactorSession, completion: passing)
  }

  /// Sends a code to a phone that is the second factor of a waiting sign-in.
  ///
  /// - Parameters:
  ///   - multiFactorInfo: one of `MultiFactorResolver.hints`, cast to its class.
  ///   - uiDelegate: `nil`.
  ///   - multiFactorSession: `MultiFactorResolver.session`.
  /// - Throws: `.invalidMultiFactorSession` if the sign-in has waited too long, `.missingMultiFactorSession` for `nil`,
  ///   `.multiFactorInfoNotFound`, …; `.invalidArgument` for the session of an enrollment.
  public func verifyPhoneNumber(
    with multiFactorInfo: PhoneMultiFactorInfo, uiDelegate: (any AuthUIDelegate)?,
    multiFactorSession: MultiFactorSession?
  ) async throws -> String {
    guard let multiFactorSession else { throw AuthError.noSession }
    return try await verifyPhoneNumber(with: multiFactorInfo.factor, multiFactorSession: multiFactorSession)
  }

  /// Sends a code to a phone that is the second factor of a waiting sign-in, and passes the message's identifier.
  @preconcurrency
  public func verifyPhoneNumber(
    with multiFactorInfo: PhoneMultiFactorInfo, uiDelegate: (any AuthUIDelegate)? = nil,
    multiFactorSession: MultiFactorSession?,
    @_inheritActorContext completion: FirebaseCompletion<String>?
  ) {
    let passing = callbacks.passing(to: completion)
    guard let multiFactorSession else {
      return callbacks.deliver(to: passing) { () throws(AuthError) -> String in throw .noSession }
    }
    verifyPhoneNumber(with: multiFactorInfo.factor, multiFactorSession: multiFactorSession, completion: passing)
  }
}

extension AuthError {
  fileprivate static let noSession = AuthError(
    .missingMultiFactorSession,
    "a code for a second factor needs the session of its sign-in, MultiFactorResolver.session")
}
