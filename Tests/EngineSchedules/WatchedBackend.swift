import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting
import IdentityToolkit

/// A provider whose answers take as long as the schedule has it, and that notes what it was asked when.
final class WatchedBackend: Backend {
  private struct State: Sendable {
    var refreshesBegun = 0
    var refreshesEnded = 0
    /// Whether a change that revokes the refresh token is under way.
    var isRevoking = false
    var passwordsSent = 0
    var signInsBegun = 0
    var signInsEnded = 0
    /// The refresh that each token came from, counted from 1, and whose it is.
    var origins: [String: Int] = [:]
    var owners: [String: String] = [:]
    var holdsLookupAnswer = false
    var lookupAnswer: CheckedContinuation<Void, Never>?
    var answersRefreshesLate = false
    var signInsAreReauthentications = false
  }

  let accounts: ScriptedBackend
  private let context: ScheduleContext
  private let state = Lock(State())

  /// Two may share their accounts, as the clients of one server do.
  init(_ context: ScheduleContext, accounts: ScriptedBackend = ScriptedBackend()) {
    self.context = context
    self.accounts = accounts
  }

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    let number = call is ExchangeRefreshToken ? beginRefresh() : 0
    let isRevoking = isRevoking(call)
    if isRevoking { beginRevoking() }
    if call is SignInWithPassword { state.withLock { $0.signInsBegun += 1 } }
    await context.yield()
    let result = await outcome { () throws(AuthError) in try await accounts.answer(call) }
    await context.yield()
    if call is Lookup { await holdAnswer() }
    if number > 0, answersRefreshesLate { await context.sleep(for: .seconds(1)) }
    if number > 0 { state.withLock { $0.refreshesEnded += 1 } }
    if isRevoking { state.withLock { $0.isRevoking = false } }
    if call is SignInWithPassword { state.withLock { $0.signInsEnded += 1 } }
    let response = try typed { try result.get() }
    state.withLock { state in
      switch response {
      case let response as ExchangeRefreshToken.Response:
        state.origins[response.idToken.revealed] = number
        state.owners[response.idToken.revealed] = response.userId
      case let response as SecondFactorTokens:
        state.owners[response.idToken.revealed] = accounts.owner(of: response.idToken)
      case let response as SignInResponse: state.owners[response.idToken.revealed] = response.localId
      case let response as Update.Response:
        if let token = response.idToken { state.owners[token.revealed] = response.localId }
      default: break
      }
    }
    return response
  }

  /// Whether no refresh may be under way meanwhile.
  private func isRevoking<C: Call>(_ call: C) -> Bool {
    if let update = call as? Update { return update.password != nil || update.email != nil }
    return call is SignInWithPassword && signInsAreReauthentications
  }

  /// Whether a sign-in is one of a session that goes on.
  var signInsAreReauthentications: Bool {
    get { state.withLock { $0.signInsAreReauthentications } }
    set { state.withLock { $0.signInsAreReauthentications = newValue } }
  }

  // MARK: An answer that comes late

  /// Whether the answer to the next look-up, which is made in its time, waits for `releaseLookupAnswer`.
  var holdsLookupAnswer: Bool {
    get { state.withLock { $0.holdsLookupAnswer } }
    set { state.withLock { $0.holdsLookupAnswer = newValue } }
  }

  /// Whether the answers to refreshes, which are made in their time, take a second of the schedule's time.
  var answersRefreshesLate: Bool {
    get { state.withLock { $0.answersRefreshesLate } }
    set { state.withLock { $0.answersRefreshesLate = newValue } }
  }

  /// Returns when a new password has been sent, or will not be for a long time.
  func waitForPassword() async {
    for _ in 0..<200 where state.withLock({ $0.passwordsSent == 0 }) { await context.yield() }
  }

  func releaseLookupAnswer() {
    let answer = state.withLock { state in
      defer { state.lookupAnswer = nil }
      return state.lookupAnswer
    }
    answer?.resume()
  }

  private func holdAnswer() async {
    let isHeld = state.withLock { state in
      defer { state.holdsLookupAnswer = false }
      return state.holdsLookupAnswer
    }
    guard isHeld else { return }
    await withCheckedContinuation { continuation in state.withLock { $0.lookupAnswer = continuation } }
  }

  private func beginRefresh() -> Int {
    let (number, underWay, isRevoking) = state.withLock { state in
      state.refreshesBegun += 1
      return (state.refreshesBegun, state.refreshesBegun - state.refreshesEnded, state.isRevoking)
    }
    context.check(!isRevoking, "a refresh was sent while a change was under way that revokes what it sends")
    context.check(underWay == 1, "\(underWay) refreshes are under way at once")
    return number
  }

  private func beginRevoking() {
    let refreshes = state.withLock { state in
      state.isRevoking = true
      state.passwordsSent += 1
      return state.refreshesBegun - state.refreshesEnded
    }
    context.check(refreshes == 0, "a change was sent that revokes what a refresh under way has sent")
  }

  func makeAccount(_ email: String) async throws(AuthError) {
    _ = try await accounts.answer(SignUp(email: email, password: Secret(Scene.password)))
  }

  /// How many refreshes were sent so far, and how many were answered.
  var refreshes: Int { state.withLock { $0.refreshesBegun } }
  var refreshesEnded: Int { state.withLock { $0.refreshesEnded } }
  /// How many sign-ins have reached the provider, and how many it has answered.
  var signInsBegun: Int { state.withLock { $0.signInsBegun } }
  var signInsEnded: Int { state.withLock { $0.signInsEnded } }
  /// Which refresh a token came from, counted from 1; 0 for one that came with a sign-in.
  func refresh(of token: String) -> Int { state.withLock { $0.origins[token] ?? 0 } }
  func owner(of token: String) -> String? { state.withLock { $0.owners[token] } }
}
