import Foundation
import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import IdentityToolkit

/// A backend that breaks the contract in one way: the check that is there for it must notice.
final class BrokenBackend: Backend {
  private struct State: Sendable {
    var anonymous: SignInResponse?
    var latest: SignInResponse?
    /// By address.
    var passwords: [String: Secret] = [:]
    var identifiers: [String: String] = [:]
    /// By identifier.
    var refreshTokens: [String: Secret] = [:]
    var spent: Set<Secret> = []
    var displayName: String?
    var hasRevoked = false
    /// The codes of apps that were offered.
    var offered: Set<String> = []
  }

  private static let session = SignInResponse(
    localId: "u", idToken: Secret("a.b.c"), refreshToken: Secret("r"), expiresIn: .seconds(1))
  private static let tokens = SecondFactorTokens(idToken: Secret("a.b.c"), refreshToken: Secret("r"))

  private let flaw: Flaw?
  private let inner: LocalBackend
  private let state = Lock(State())

  init(_ flaw: Flaw?, _ inner: LocalBackend) {
    self.flaw = flaw
    self.inner = inner
  }

  func setDisabled(_ uid: String, _ disabled: Bool) async throws {
    if flaw != .disablesNobody { try await inner.setDisabled(uid: uid, disabled) }
  }

  func revoke(_ uid: String) async throws {
    if flaw != .revokesNothing { try await inner.revoke(uid: uid) }
  }

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    if let answer = invented(call) { return answer }
    let changed = state.withLock { state in before(call, &state) }
    do throws(AuthError) {
      let answer = try await inner.answer(changed)
      return state.withLock { state in after(answer, to: call, &state) }
    } catch {
      if let answer = try await instead(of: error, to: call) { return answer }
      throw worse(error, for: call)
    }
  }

  // MARK: Without asking

  private func invented<C: Call>(_ call: C) -> C.Response? {
    switch (flaw, call) {
    case (.deletesForAnybody, is Delete), (.deletesNothing, is Delete): return Delete.Response() as? C.Response
    case (.inventsWhenCancelled, is SignUp) where Task.isCancelled:
      return Self.session as? C.Response
    case (.verifiesNothing, let call as Update) where call.oobCode != nil,
      (.changesNoAddress, let call as Update) where call.oobCode != nil:
      return Update.Response(localId: "u") as? C.Response
    case (.endsNoSession, let call as RevokeSessions) where call.sessionId != nil,
      (.keepsEverySession, let call as RevokeSessions) where call.sessionId == nil:
      return RevokeSessions.Response() as? C.Response
    case (.takesBackForNobody, is RevokeToken): return RevokeToken.Response() as? C.Response
    case (.withdrawsNothing, is WithdrawMfa): return Self.tokens as? C.Response
    case (.believesClaims, let call as Lookup), (.ignoresSignatures, let call as Lookup):
      let parts = call.idToken.revealed.split(separator: ".").map(String.init)
      guard parts.count > 1, let claims = try? JSONObject(parsing: Base64URL.decode(parts[1])) else { return nil }
      return Lookup.Response(users: [Account(localId: claims["sub"]?.string ?? "")]) as? C.Response
    default: return nil
    }
  }

  // MARK: Before

  private func before<C: Call>(_ call: C, _ state: inout State) -> C {
    switch flaw {
    case .linksToANewAccount, .refusesOwnAddresses: return changing(call, SignUp.self) { $0.idToken = nil }
    case .takesAnyPassword:
      if let call = call as? SignUp, let email = call.email {
        state.passwords[email] = state.passwords[email] ?? call.password
      }
      return changing(call, SignInWithPassword.self) { $0.password = state.passwords[$0.email] ?? $0.password }
    case .ignoresRemovals: return changing(call, Update.self) { $0.deleteAttribute = nil }
    case .emptiesWhatIsNotNamed:
      return changing(call, Update.self) { if $0.photoUrl == nil { $0.deleteAttribute = [.displayName, .photoURL] } }
    case .keepsThePassword: return changing(call, Update.self) { $0.password = nil }
    case .endsEverySession: return changing(call, RevokeSessions.self) { $0.sessionId = nil }
    case .unlinksNothing: return changing(call, Update.self) { $0.deleteProvider = nil }
    case .ignoresTenants: return inProject(call)
    case .inventsTenants: return (call as? any TenantCall)?.tenantId == EquippedScene.tenant ? call : inProject(call)
    default: return call
    }
  }

  // MARK: After

  private func after<C: Call>(_ answer: C.Response, to call: C, _ state: inout State) -> C.Response {
    let signUp = call as? SignUp
    let isSignIn = call is SignInWithPassword
    switch flaw {
    case .forgetsAddresses: return changing(answer, SignInResponse.self) { $0.email = nil }
    case .answersNobody: return changing(answer, Lookup.Response.self) { $0.users = [] }
    case .namesAnotherLifetime: return changing(answer, SignInResponse.self) { $0.expiresIn = DecimalString(1) }
    case .givesOpaqueTokens: return changing(answer, SignInResponse.self) { $0.idToken = Secret("opaque") }
    case .sharesAnAnonymousAccount where signUp != nil && signUp?.email == nil:
      state.anonymous = state.anonymous ?? answer as? SignInResponse
      return state.anonymous as? C.Response ?? answer
    case .signsInToTheLatest, .mixesAnswers:
      if signUp != nil { state.latest = answer as? SignInResponse }
      return isSignIn ? state.latest as? C.Response ?? answer : answer
    case .keepsIdentifiers:
      return changing(answer, SignInResponse.self) { answer in
        answer.localId = state.identifiers[answer.email ?? ""] ?? answer.localId
        state.identifiers[answer.email ?? ""] = answer.localId
      }
    case .endsOtherSessions:
      if let answer = answer as? SignInResponse { state.refreshTokens[answer.localId] = answer.refreshToken }
      return changing(answer, ExchangeRefreshToken.Response.self) { answer in
        let sent = (call as? ExchangeRefreshToken)?.refreshToken
        if state.refreshTokens[answer.userId] != sent { answer.userId = "" }
      }
    case .refreshesAnother: return changing(answer, ExchangeRefreshToken.Response.self) { $0.userId = "another" }
    case .refreshesOnce:
      return changing(answer, ExchangeRefreshToken.Response.self) { answer in
        if !state.spent.insert(answer.refreshToken).inserted { answer.userId = "" }
      }
    case .normalizesText:
      return changing(answer, Lookup.Response.self) { answer in
        let name = answer.users?.first?.displayName
        answer.users?[0].displayName = name?.precomposedStringWithCanonicalMapping
      }
    case .changesEverybody:
      state.displayName = (call as? Update)?.displayName ?? state.displayName
      return changing(answer, Lookup.Response.self) { $0.users?[0].displayName = state.displayName }
    case .givesNoNewTokens: return changing(answer, Update.Response.self) { $0.refreshToken = nil }
    case .registersStrangers: return changing(answer, CreateAuthUri.Response.self) { $0.registered = true }
    case .verifiesEarly: return changing(answer, Lookup.Response.self) { $0.users?[0].emailVerified = true }
    case .listsNoSessions: return changing(answer, ListSessions.Response.self) { $0.sessions = [] }
    case .endsOthersSessions:
      state.hasRevoked = state.hasRevoked || call is RevokeSessions
      return changing(answer, ExchangeRefreshToken.Response.self) { if state.hasRevoked { $0.userId = "" } }
    case .takesCodesTwice:
      if let code = (call as? FinalizeMfaSignIn)?.totpVerificationInfo { state.offered.insert(code.verificationCode) }
      return answer
    case .hidesFactors: return changing(answer, Lookup.Response.self) { $0.users?[0].mfaInfo = nil }
    case .makesAnAccountForEachText:
      return changing(answer, SignInWithPhoneNumber.Response.self) { $0.localId = SystemRandomSource().identifier() }
    case .sharesNumbers:
      return changing(answer, SignInWithPhoneNumber.Response.self) { answer in
        answer.idToken = answer.idToken ?? Self.tokens.idToken
      }
    case .hidesTenants: return changing(answer, Lookup.Response.self) { $0.users?[0].tenantId = nil }
    case .makesAnAccountForEachIdentity:
      return changing(answer, SignInWithIdp.Response.self) { $0.localId = SystemRandomSource().identifier() }
    case .sharesIdentities: return changing(answer, SignInWithIdp.Response.self) { $0.errorMessage = nil }
    case .misnamesCustomUsers: return changing(answer, Lookup.Response.self) { $0.users?[0].localId = "another" }
    default: return answer
    }
  }

  // MARK: Instead of a refusal

  private func instead<C: Call>(of error: AuthError, to call: C) async throws(AuthError) -> C.Response? {
    switch (flaw, error.code, call) {
    case (.takesAddressesTwice, .emailAlreadyInUse, _): return try await inner.answer(SignUp()) as? C.Response
    case (.signsInWhoSignsUpAgain, .emailAlreadyInUse, let call as SignUp):
      let signIn = SignInWithPassword(email: call.email ?? "", password: call.password ?? Secret(""))
      return try await inner.answer(signIn) as? C.Response
    case (.signsUpWhoSignsIn, .userNotFound, let call as SignInWithPassword):
      return try await inner.answer(SignUp(email: call.email, password: call.password)) as? C.Response
    case (.keepsSessions, .userTokenExpired, let call as ExchangeRefreshToken),
      (.keepsSessionsAtReset, .userTokenExpired, let call as ExchangeRefreshToken),
      (.keepsSessionsAtChange, .userTokenExpired, let call as ExchangeRefreshToken),
      (.keepsSessionsAtEnrollment, .userTokenExpired, let call as ExchangeRefreshToken):
      return ExchangeRefreshToken.Response(
        idToken: Secret("a.b.c"), refreshToken: call.refreshToken, expiresIn: .seconds(1), userId: "u") as? C.Response
    case (.answersAnything, .operationNotAllowed, _):
      return try? JSONDecoder().decode(C.Response.self, from: Data("{}".utf8))
    case (.takesInventedCodes, .invalidActionCode, is ResetPassword),
      (.resetsTwice, .invalidActionCode, is ResetPassword):
      return ResetPassword.Response(requestType: .passwordReset, email: nil) as? C.Response
    case (.takesWeakPasswords, .weakPassword, _): return try await inner.answer(SignUp()) as? C.Response
    case (.takesAnyAddressOfALink, .invalidEmail, is SignInWithEmailLink),
      (.signsInByLinkTwice, .invalidActionCode, is SignInWithEmailLink),
      (.asksForNoFactor, .secondFactorRequired, _):
      return Self.session as? C.Response
    case (.takesInventedProofs, .invalidMultiFactorSession, _), (.takesAnyCode, .invalidVerificationCode, _),
      (.enrollsByAnyCode, .invalidVerificationCode, _), (.takesRecoveryCodesTwice, .invalidVerificationCode, _):
      return Self.tokens as? C.Response
    case (.takesAnyTextForAFactor, .invalidVerificationCode, let call as FinalizeMfaSignIn):
      return call.phoneVerificationInfo == nil ? nil : Self.tokens as? C.Response
    case (.takesCodesTwice, .invalidVerificationCode, let call as FinalizeMfaSignIn):
      let code = call.totpVerificationInfo?.verificationCode ?? ""
      return state.withLock { $0.offered.contains(code) } ? Self.tokens as? C.Response : nil
    case (.takesTextsTwice, .invalidVerificationID, is SignInWithPhoneNumber),
      (.takesAnyText, .invalidVerificationCode, is SignInWithPhoneNumber):
      return SignInWithPhoneNumber.Response() as? C.Response
    default: return nil
    }
  }

  private func worse<C: Call>(_ error: AuthError, for call: C) -> AuthError {
    switch (flaw, error.code) {
    case (.refusesPasswordsVaguely, .wrongPassword): return AuthError(.internalError, "no")
    case (.tellsWhoIsThere, .wrongPassword): return AuthError(server: "INVALID_LOGIN_CREDENTIALS")
    case (.tellsWhoIsRegistered, .userNotFound), (.tellsWhoGetsMail, .userNotFound):
      return call is SignInWithPassword ? AuthError(server: "INVALID_LOGIN_CREDENTIALS") : error
    case (.wantsTokensAgain, .invalidUserToken): return AuthError(.networkError, "try again")
    case (.takesNonsenseForExpiry, .invalidUserToken): return AuthError(server: "TOKEN_EXPIRED")
    case (.hidesDisabling, .userDisabled): return AuthError(server: "USER_NOT_FOUND")
    case (.tellsSecrets, _):
      let secrets = Mirror(reflecting: call).children.compactMap { ($0.value as? Secret)?.revealed }
      return AuthError(error.code, error.message + secrets.joined())
    default: return error
    }
  }

  private func inProject<C: Call>(_ call: C) -> C {
    guard var tenantCall = call as? any TenantCall else { return call }
    tenantCall.tenantId = nil
    return tenantCall as? C ?? call
  }

  /// A value, changed where it is of a type.
  private func changing<Value, Type>(_ value: Value, _: Type.Type, _ change: (inout Type) -> Void) -> Value {
    guard var typed = value as? Type else { return value }
    change(&typed)
    return typed as? Value ?? value
  }
}
