import GatehouseBase
import GatehouseCore
import GatehouseQueues
import IdentityToolkit

/// Signs in with a phone: sends a code to it, and makes the credential from that code.
public struct PhoneAuthProvider: Sendable {
  /// `phone`, as the protocol calls it.
  public static let id = "phone"

  let auth: Auth

  /// Returns the phone provider of an `Auth`.
  public static func provider(auth: Auth = .auth()) -> PhoneAuthProvider { PhoneAuthProvider(auth: auth) }

  /// Sends a code to a phone, through the provider's message delivery. No user interface is shown.
  ///
  /// - Parameters:
  ///   - phoneNumber: the number in E.164 form: `+12025550123`.
  ///   - timeout: the maximum time to wait; `nil` for the configuration's `timeouts.call`.
  /// - Returns: The message's identifier, for `credential(withVerificationID:verificationCode:)`.
  /// - Throws: `.missingPhoneNumber`, `.invalidPhoneNumber`, `.tooManyRequests`, `.operationNotAllowed`, …
  public func verifyPhoneNumber(_ phoneNumber: String, timeout: Duration? = nil) async throws -> String {
    try await onWorkQueue { [engine = auth.engine] () throws(AuthError) in
      try await engine.sendVerificationCodeInternal(phoneNumber, timeout: timeout).revealed
    }
  }

  /// Sends a code to a phone.
  public func verifyPhoneNumber(
    _ phoneNumber: String, timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<String>
  ) {
    auth.engine.deliver(to: completion) { [engine = auth.engine] () throws(AuthError) in
      try await engine.sendVerificationCodeInternal(phoneNumber, timeout: timeout).revealed
    }
  }

  /// Sends a code to a phone that will be a second factor, with a session from `MultiFactor.session()`.
  ///
  /// - Throws: `.unverifiedEmail`, `.requiresRecentLogin`, `.invalidPhoneNumber`, …; `.invalidArgument` for the session
  ///   of a waiting sign-in.
  public func verifyPhoneNumber(
    _ phoneNumber: String, multiFactorSession: MultiFactorSession, timeout: Duration? = nil
  ) async throws -> String {
    let user = try multiFactorSession.enrolling()
    return try await onWorkQueue { () throws(AuthError) in
      try await user.engine.sendEnrollmentCodeInternal(user.session, to: phoneNumber, timeout: timeout).revealed
    }
  }

  /// Sends a code to a phone that will be a second factor.
  public func verifyPhoneNumber(
    _ phoneNumber: String, multiFactorSession: MultiFactorSession, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<String>
  ) {
    let user = Result { () throws(AuthError) in try multiFactorSession.enrolling() }
    auth.engine.deliver(to: completion) { () throws(AuthError) in
      let user = try user.typed()
      return try await user.engine.sendEnrollmentCodeInternal(user.session, to: phoneNumber, timeout: timeout).revealed
    }
  }

  /// Sends a code to a phone that is the second factor of a waiting sign-in.
  ///
  /// - Parameters:
  ///   - info: one of `MultiFactorResolver.hints`.
  ///   - multiFactorSession: `MultiFactorResolver.session`.
  ///   - timeout: the maximum time to wait; `nil` for the configuration's `timeouts.call`.
  /// - Throws: `.invalidMultiFactorSession` if the sign-in has waited too long, `.multiFactorInfoNotFound`, …;
  ///   `.invalidArgument` for the session of an enrollment.
  public func verifyPhoneNumber(
    with info: MultiFactorInfo, multiFactorSession: MultiFactorSession, timeout: Duration? = nil
  ) async throws -> String {
    let (engine, pending) = try multiFactorSession.signingIn()
    return try await onWorkQueue { () throws(AuthError) in
      try await engine.sendSecondFactorCodeInternal(pending, factor: info.uid, timeout: timeout).revealed
    }
  }

  /// Sends a code to a phone that is the second factor of a waiting sign-in.
  public func verifyPhoneNumber(
    with info: MultiFactorInfo, multiFactorSession: MultiFactorSession, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<String>
  ) {
    let session = Result { () throws(AuthError) in try multiFactorSession.signingIn() }
    auth.engine.deliver(to: completion) { () throws(AuthError) in
      let (engine, pending) = try session.typed()
      return try await engine.sendSecondFactorCodeInternal(pending, factor: info.uid, timeout: timeout).revealed
    }
  }

  /// Returns a credential for a code and the identifier of its message.
  public func credential(withVerificationID verificationID: String, verificationCode: String) -> AuthCredential {
    AuthCredential(.phone(.code(Secret(verificationCode), sessionInfo: Secret(verificationID))))
  }
}
