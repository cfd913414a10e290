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
  }

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
      return SignInResponse(localId: "u", idToken: Secret("a.b.c"), refreshToken: Secret("r"), expiresIn: .seconds(1))
        as? C.Response
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
    case .linksToANewAccount: return changing(call, SignUp.self) { $0.idToken = nil }
    case .takesAnyPassword:
      if let call = call as? SignUp, let email = call.email {
        state.passwords[email] = state.passwords[email] ?? call.password
      }
      return changing(call, SignInWithPassword.self) { $0.password = state.passwords[$0.email] ?? $0.password }
    case .ignoresRemovals: return changing(call, Update.self) { $0.deleteAttribute = nil }
    case .emptiesWhatIsNotNamed:
      return changing(call, Update.self) { if $0.photoUrl == nil { $0.deleteAttribute = [.displayName, .photoURL] } }
    case .keepsThePassword: return changing(call, Update.self) { $0.password = nil }
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
    case (.keepsSessions, .userTokenExpired, let call as ExchangeRefreshToken):
      return ExchangeRefreshToken.Response(
        idToken: Secret("a.b.c"), refreshToken: call.refreshToken, expiresIn: .seconds(1), userId: "u") as? C.Response
    case (.answersAnything, .operationNotAllowed, _):
      return try? JSONDecoder().decode(C.Response.self, from: Data("{}".utf8))
    default: return nil
    }
  }

  private func worse<C: Call>(_ error: AuthError, for call: C) -> AuthError {
    switch (flaw, error.code) {
    case (.refusesPasswordsVaguely, .wrongPassword): return AuthError(.internalError, "no")
    case (.tellsWhoIsThere, .wrongPassword): return AuthError(server: "INVALID_LOGIN_CREDENTIALS")
    case (.wantsTokensAgain, .invalidUserToken): return AuthError(.networkError, "try again")
    case (.takesNonsenseForExpiry, .invalidUserToken): return AuthError(server: "TOKEN_EXPIRED")
    case (.hidesDisabling, .userDisabled): return AuthError(server: "USER_NOT_FOUND")
    case (.tellsSecrets, _):
      let secrets = Mirror(reflecting: call).children.compactMap { ($0.value as? Secret)?.revealed }
      return AuthError(error.code, error.message + secrets.joined())
    default: return error
    }
  }

  /// A value, changed where it is of a type.
  private func changing<Value, Type>(_ value: Value, _: Type.Type, _ change: (inout Type) -> Void) -> Value {
    guard var typed = value as? Type else { return value }
    change(&typed)
    return typed as? Value ?? value
  }
}
