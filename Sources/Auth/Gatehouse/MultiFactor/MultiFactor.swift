public import Foundation
import GatehouseBase
import GatehouseCore
import GatehouseQueues
import IdentityToolkit

/// The second factors of a user: `user.multiFactor`.
public struct MultiFactor: Sendable, Hashable {
  let user: User

  /// The factors that the account has, as the provider last reported them.
  @_disfavoredOverload
  public var enrolledFactors: [MultiFactorInfo] { (user.profile.secondFactors ?? []).map(MultiFactorInfo.init) }

  /// Returns a session for an enrollment, for `TOTPMultiFactorGenerator.generateSecret(with:)` or a phone.
  ///
  /// The session identifies the user; no server is contacted.
  /// - Throws: the reason why the user's session has ended.
  public func session() async throws -> MultiFactorSession {
    try await onWorkQueue { [user] () throws(AuthError) in try user.engine.multiFactorSession(of: user) }
  }

  /// Returns a session for an enrollment.
  public func session(@_inheritActorContext completion: @escaping Completion<MultiFactorSession>) {
    user.engine.deliver(to: completion) { [user] () throws(AuthError) in try user.engine.multiFactorSession(of: user) }
  }

  /// Completes an enrollment; the account then has the factor. The user's other sessions end; this one continues.
  ///
  /// - Throws: `.invalidVerificationCode`, `.sessionExpired` for an enrollment that took too long,
  ///   `.requiresRecentLogin`, `.unverifiedEmail`, `.maximumSecondFactorCountExceeded`, …; `.invalidArgument` for an
  ///   assertion that signs in.
  public func enroll(
    with assertion: MultiFactorAssertion, displayName: String? = nil, timeout: Duration? = nil
  ) async throws {
    let proof = try assertion.enrollment()
    try await onWorkQueue { [user] () throws(AuthError) in
      try await user.engine.enrollInternal(user.session, proof, displayName: displayName, timeout: timeout)
    }
  }

  /// Completes an enrollment.
  @_disfavoredOverload
  public func enroll(
    with assertion: MultiFactorAssertion, displayName: String? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    let proof = Result { () throws(AuthError) in try assertion.enrollment() }
    user.engine.deliver(to: completion) { [user] () throws(AuthError) in
      let proof = try proof.typed()
      try await user.engine.enrollInternal(user.session, proof, displayName: displayName, timeout: timeout)
    }
  }

  /// Removes a factor. The user's other sessions end; this one continues. Removing the last factor also removes the
  /// recovery codes.
  ///
  /// - Throws: `.multiFactorInfoNotFound`, `.requiresRecentLogin`, …
  public func unenroll(with info: MultiFactorInfo, timeout: Duration? = nil) async throws {
    try await unenroll(withFactorUID: info.uid, timeout: timeout)
  }

  /// Removes a factor.
  @_disfavoredOverload
  public func unenroll(
    with info: MultiFactorInfo, timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    user.engine.deliver(to: completion) { [user] () throws(AuthError) in
      try await user.engine.unenrollInternal(user.session, factor: info.uid, timeout: timeout)
    }
  }

  /// Removes a factor by its identifier.
  ///
  /// - Throws: `.multiFactorInfoNotFound`, `.requiresRecentLogin`, …
  public func unenroll(withFactorUID factorUID: String, timeout: Duration? = nil) async throws {
    try await onWorkQueue { [user] () throws(AuthError) in
      try await user.engine.unenrollInternal(user.session, factor: factorUID, timeout: timeout)
    }
  }

  /// Removes a factor by its identifier.
  @_disfavoredOverload
  public func unenroll(
    withFactorUID factorUID: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    user.engine.deliver(to: completion) { [user] () throws(AuthError) in
      try await user.engine.unenrollInternal(user.session, factor: factorUID, timeout: timeout)
    }
  }

  /// Makes ten codes, each of which replaces a second factor in one sign-in. Earlier codes become invalid. Show the
  /// codes at once: they cannot be retrieved again. Specific to Gatehouse; Firebase has no recovery codes.
  ///
  /// - Throws: `.multiFactorInfoNotFound` for an account without a second factor, `.requiresRecentLogin`, …
  public func generateRecoveryCodes(timeout: Duration? = nil) async throws -> [String] {
    try await onWorkQueue { [user] () throws(AuthError) in
      try await user.engine.makeRecoveryCodesInternal(user.session, timeout: timeout).map(\.revealed)
    }
  }

  /// Makes ten codes, each of which replaces a second factor in one sign-in.
  public func generateRecoveryCodes(
    timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<[String]>
  ) {
    user.engine.deliver(to: completion) { [user] () throws(AuthError) in
      try await user.engine.makeRecoveryCodesInternal(user.session, timeout: timeout).map(\.revealed)
    }
  }
}

extension User {
  /// The user's second factors.
  public var multiFactor: MultiFactor { MultiFactor(user: self) }
}

extension AuthEngine {
  fileprivate func multiFactorSession(of user: User) throws(AuthError) -> MultiFactorSession {
    try checkLiveInternal(user.session)
    return MultiFactorSession(user: user)
  }
}

/// A second factor that an account has.
public struct MultiFactorInfo: Sendable, Hashable {
  /// The factor's identifier, unique within its account.
  public let uid: String
  /// The name that the user gave the factor.
  public let displayName: String?
  /// The date of the enrollment; `nil` if the provider does not report it.
  public let enrollmentDate: Date?
  /// The kind of factor: `totp` for an authenticator app, `phone`.
  public let factorID: String
  /// The phone number that codes are sent to, for a phone; parts of it may be masked.
  public let phoneNumber: String?

  package init(_ factor: SecondFactor) {
    uid = factor.uid
    displayName = factor.displayName
    enrollmentDate = factor.enrollmentSeconds.map(Date.init(timeIntervalSince1970:))
    factorID = factor.factorID
    phoneNumber = factor.phoneNumber
  }
}
