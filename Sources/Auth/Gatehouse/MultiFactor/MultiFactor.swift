public import Foundation
import GatehouseCore
import GatehouseQueues
import IdentityToolkit

/// The second factors of a user: `user.multiFactor`.
public struct MultiFactor: Sendable, Hashable {
  let user: User

  /// The factors that the account has, as the provider last told them.
  public var enrolledFactors: [MultiFactorInfo] { (user.profile.secondFactors ?? []).map(MultiFactorInfo.init) }

  /// A session for an enrolment: for `TOTPMultiFactorGenerator.generateSecret(with:)`, or a phone.
  ///
  /// Asks no server: it stands for the user.
  /// - Throws: why the user's session has ended.
  public func session() async throws(AuthError) -> MultiFactorSession {
    try await onWorkQueue { [user] () throws(AuthError) in try user.engine.multiFactorSession(of: user) }
  }

  /// A session for an enrolment.
  public func session(@_inheritActorContext completion: @escaping Completion<MultiFactorSession>) {
    user.engine.deliver(to: completion) { [user] () throws(AuthError) in try user.engine.multiFactorSession(of: user) }
  }

  /// Ends an enrolment: the account has the factor then. The user's other sessions end; this one goes on.
  ///
  /// - Throws: `.invalidVerificationCode`, `.sessionExpired` for an enrolment that took too long,
  ///   `.requiresRecentLogin`, `.unverifiedEmail`, `.maximumSecondFactorCountExceeded`, …; `.invalidArgument` for an
  ///   assertion that signs in.
  public func enroll(
    with assertion: MultiFactorAssertion, displayName: String? = nil, timeout: Duration? = nil
  ) async throws(AuthError) {
    let proof = try assertion.enrollment()
    try await onWorkQueue { [user] () throws(AuthError) in
      try await user.engine.enrollInternal(user.session, proof, displayName: displayName, timeout: timeout)
    }
  }

  /// Ends an enrolment.
  public func enroll(
    with assertion: MultiFactorAssertion, displayName: String? = nil, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    let proof = Result { () throws(AuthError) in try assertion.enrollment() }
    user.engine.deliver(to: completion) { [user] () throws(AuthError) in
      let proof = try proof.get()
      try await user.engine.enrollInternal(user.session, proof, displayName: displayName, timeout: timeout)
    }
  }

  /// Takes a factor away. The user's other sessions end; this one goes on. With the last factor the recovery codes go.
  ///
  /// - Throws: `.multiFactorInfoNotFound`, `.requiresRecentLogin`, …
  public func unenroll(with info: MultiFactorInfo, timeout: Duration? = nil) async throws(AuthError) {
    try await unenroll(withFactorUID: info.uid, timeout: timeout)
  }

  /// Takes a factor away.
  public func unenroll(
    with info: MultiFactorInfo, timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    user.engine.deliver(to: completion) { [user] () throws(AuthError) in
      try await user.engine.unenrollInternal(user.session, factor: info.uid, timeout: timeout)
    }
  }

  /// Takes a factor away, by its identifier.
  ///
  /// - Throws: `.multiFactorInfoNotFound`, `.requiresRecentLogin`, …
  public func unenroll(withFactorUID factorUID: String, timeout: Duration? = nil) async throws(AuthError) {
    try await onWorkQueue { [user] () throws(AuthError) in
      try await user.engine.unenrollInternal(user.session, factor: factorUID, timeout: timeout)
    }
  }

  /// Takes a factor away, by its identifier.
  public func unenroll(
    withFactorUID factorUID: String, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<Void>
  ) {
    user.engine.deliver(to: completion) { [user] () throws(AuthError) in
      try await user.engine.unenrollInternal(user.session, factor: factorUID, timeout: timeout)
    }
  }

  /// Makes ten codes, each good for one sign-in instead of a second factor; those made before are not good any more.
  /// Show them once: they cannot be asked for again. Gatehouse's own; Firebase has none.
  ///
  /// - Throws: `.multiFactorInfoNotFound` for an account without a second factor, `.requiresRecentLogin`, …
  public func generateRecoveryCodes(timeout: Duration? = nil) async throws(AuthError) -> [String] {
    try await onWorkQueue { [user] () throws(AuthError) in
      try await user.engine.makeRecoveryCodesInternal(user.session, timeout: timeout).map(\.revealed)
    }
  }

  /// Makes ten codes, each good for one sign-in instead of a second factor.
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
  /// Names the factor among those of its account.
  public let uid: String
  /// The name that its user gave it.
  public let displayName: String?
  /// When it was enrolled; `nil` where the provider does not say.
  public let enrollmentDate: Date?
  /// What it is: `totp` for an authenticator app, `phone`.
  public let factorID: String
  /// Where codes are sent, of a phone; parts of it may be masked.
  public let phoneNumber: String?

  package init(_ factor: SecondFactor) {
    uid = factor.uid
    displayName = factor.displayName
    enrollmentDate = factor.enrollmentSeconds.map(Date.init(timeIntervalSince1970:))
    factorID = factor.factorID
    phoneNumber = factor.phoneNumber
  }
}
