import Gatehouse
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting
import IdentityToolkit

/// A provider that knows which of its refresh tokens it still honors. Each sign-in begins a family of tokens.
///
///     a family ends by                              its stored session
///     a new password in another family              is dead, and the provider says so
///     a rotated token that is sent a second time    is lost: the client has made a mistake. It has made none if the
///                                                   answer was lost, and the store says that the token may be spent;
///                                                   then the answer is repeated
final class FamilyProvider: Sendable {
  struct Family: Sendable {
    let uid: String
    /// The token that the provider honors, and the scripted provider's own.
    var token: String
    var scripted: Secret
    var isDead = false
  }

  private struct State: Sendable {
    var families: [Family] = []
    /// The family of each token.
    var owners: [String: Int] = [:]
    /// The tokens that were exchanged for others.
    var spent: Set<String> = []
    /// The token that replaced a spent one.
    var successors: [String: String] = [:]
    /// Tokens that are honored once more.
    var graces: Set<String> = []
    var serial = 0

    mutating func issue(_ family: Int) -> String {
      serial += 1
      let token = "family-\(family)-\(serial)"
      owners[token] = family
      families[family].token = token
      return token
    }
  }

  let accounts = ScriptedBackend()
  let rotates: Bool
  private let state = Lock(State())

  init(rotates: Bool) { self.rotates = rotates }

  func family(of token: Secret) -> Int? { state.withLock { $0.owners[token.revealed] } }
  func family(_ number: Int) -> Family { state.withLock { $0.families[number] } }

  /// Whether a family of a user has ended.
  func hasEndedOne(of uid: String) -> Bool {
    state.withLock { $0.families.contains { $0.uid == uid && $0.isDead } }
  }

  /// Whether the provider honors a token.
  func honors(_ token: Secret) -> Bool {
    state.withLock { state in
      guard let number = state.owners[token.revealed], !state.families[number].isDead else { return false }
      return state.families[number].token == token.revealed || state.graces.contains(token.revealed)
    }
  }

  /// Honors a token once more: the answer to its exchange was lost.
  func forgive(_ token: Secret) { state.withLock { _ = $0.graces.insert(token.revealed) } }

  /// Begins a family for the tokens of a sign-in.
  func begin(_ response: SignInResponse) -> SignInResponse {
    var response = response
    state.withLock { state in
      let number = state.families.count
      state.families.append(Family(uid: response.localId, token: "", scripted: response.refreshToken))
      state.owners[response.idToken.revealed] = number
      response.refreshToken = Secret(state.issue(number))
    }
    return response
  }

  /// The token that the scripted provider knows, for one that was sent.
  func use(_ sent: Secret, _ context: ScheduleContext) throws(AuthError) -> Secret {
    try state.withLock { (state) throws(AuthError) in
      guard let number = state.owners[sent.revealed] else { throw AuthError(server: "TOKEN_EXPIRED") }
      let hasGrace = state.graces.remove(sent.revealed) != nil
      if state.spent.contains(sent.revealed), !hasGrace {
        context.check(false, "a rotated token of \(state.families[number].uid) was sent a second time")
        state.families[number].isDead = true
      }
      let family = state.families[number]
      guard !family.isDead, hasGrace || family.token == sent.revealed else { throw AuthError(server: "TOKEN_EXPIRED") }
      if rotates { state.spent.insert(sent.revealed) }
      return family.scripted
    }
  }

  /// A refresh has the family's token as its answer: what was sent, or what replaced it when an answer was lost.
  func refreshed(_ response: ExchangeRefreshToken.Response, with sent: Secret) -> ExchangeRefreshToken.Response {
    var response = response
    state.withLock { state in
      guard let number = state.owners[sent.revealed] else { return }
      state.owners[response.idToken.revealed] = number
      guard rotates else { return response.refreshToken = Secret(state.families[number].token) }
      let next = state.successors[sent.revealed] ?? state.issue(number)
      state.successors[sent.revealed] = next
      response.refreshToken = Secret(next)
    }
    return response
  }

  /// Ends the user's other families, as a new password does.
  func changed(_ response: Update.Response, by idToken: Secret?) -> Update.Response {
    guard let refreshToken = response.refreshToken, let idToken else { return response }
    var response = response
    state.withLock { state in
      guard let number = state.owners[idToken.revealed] else { return }
      let uid = state.families[number].uid
      for other in state.families.indices where other != number && state.families[other].uid == uid {
        state.families[other].isDead = true
      }
      state.families[number].scripted = refreshToken
      if let new = response.idToken { state.owners[new.revealed] = number }
      response.refreshToken = Secret(state.issue(number))
    }
    return response
  }
}

/// The way of one program to a provider that several share.
final class FamilyBackend: Backend {
  let provider: FamilyProvider
  private let context: ScheduleContext
  /// Whether the store says that a token may be spent, if the store has the token.
  private let isNoted: @Sendable (Secret) -> Bool
  private let dead = Lock(false)
  private let lostAnswers = Lock(0)
  /// Ends the program when its next refresh has been answered.
  private let end = Lock<(@Sendable () -> Void)?>(nil)

  init(_ context: ScheduleContext, _ provider: FamilyProvider, isNoted: @escaping @Sendable (Secret) -> Bool) {
    (self.context, self.provider, self.isNoted) = (context, provider, isNoted)
  }

  var rotatesRefreshTokens: Bool { provider.rotates }

  /// Ends the program: nothing reaches the provider any more, and no answer the program.
  func kill() { dead.withLock { $0 = true } }

  /// From now on answers to refreshes are lost when the schedule has it, so often at most.
  func loseAnswers(most: Int) { lostAnswers.withLock { $0 = most } }

  /// Ends the program when its next refresh has been answered, and before it learns that.
  func killInRefresh(_ kill: @escaping @Sendable () -> Void) { end.withLock { $0 = kill } }

  /// From now on no answer is lost, and the program is not ended.
  func isWell() {
    lostAnswers.withLock { $0 = 0 }
    end.withLock { $0 = nil }
  }

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    await context.yield()
    try checkAlive()
    let response = try await make(call)
    await context.yield()
    if let sent = (call as? ExchangeRefreshToken)?.refreshToken {
      end.withLock { kill in
        defer { kill = nil }
        return kill
      }?()
      if lostAnswers.withLock({ $0 > 0 }), await context.coin() {
        lostAnswers.withLock { $0 -= 1 }
        provider.forgive(sent)
        throw AuthError(.networkError, "the connection was lost")
      }
    }
    try checkAlive()
    guard let response = response as? C.Response else { throw AuthError(.internalError, "another answer") }
    return response
  }

  private func make(_ call: some Call) async throws(AuthError) -> any Sendable {
    switch call {
    case let call as SignInWithPassword: return provider.begin(try await provider.accounts.answer(call))
    case let call as ExchangeRefreshToken:
      if provider.rotates {
        context.check(isNoted(call.refreshToken), "a token was spent before the store said so")
      }
      let known = try provider.use(call.refreshToken, context)
      let answer = try await provider.accounts.answer(ExchangeRefreshToken(refreshToken: known))
      return provider.refreshed(answer, with: call.refreshToken)
    case let call as Update: return provider.changed(try await provider.accounts.answer(call), by: call.idToken)
    default: return try await provider.accounts.answer(call)
    }
  }

  private func checkAlive() throws(AuthError) {
    if dead.withLock(\.self) { throw AuthError(.networkError, "the program has ended") }
  }
}
