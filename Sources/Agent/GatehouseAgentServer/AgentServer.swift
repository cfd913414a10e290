package import GatehouseAgent
package import GatehouseBase
import GatehouseHTTP
import GatehouseQueues
package import GatehouseServer
package import GatehouseSystem
package import Logging

/// Lends an agent's tokens over HTTP, to the programs that its rules admit.
///
///     GET  /v1/accounts/NAME/token?minValidity=120   {"account", "token", "expiresIn"}
///     POST /v1/accounts/NAME/refresh                 the same, fetched anew
///     GET  /v1/accounts                              {"accounts": [{"name", "kind", "state", …}]}
///     GET  /v1/status                                {"process", "accounts": {"lending": 3, …}}
///     GET  /metrics                                  the figures, in Prometheus's text format
///     POST /v1/reload                                reads the settings again
///
/// An error is `{"error": {"code", "number", "message"}}`, with `retryAfter` in seconds if that helps.
///
/// A program sees and gets the accounts that its rules lend. An account that they do not lend looks like one that there
/// is not.
package final class AgentServer: DividingHandler {
  /// Reads the settings again, and returns what has changed.
  package typealias Reload = @Sendable () async throws(AuthError) -> JSONObject

  private let agent: Agent
  /// The rules, all of which a program must fit: one, and during a change another one.
  private let rules: Lock<[ClientRules]>
  private let process: Int32
  private let reload: Reload
  private let refusals: RefusalLog
  private let refreshes = RefreshLimit()
  private let figures: AgentFigures

  /// - Parameters:
  ///   - process: the daemon's process ID.
  ///   - figures: what the page `/metrics` shows.
  ///   - logger: the logger for refused requests. It is never given a token.
  package init(
    _ agent: Agent, rules: ClientRules, process: Int32, figures: AgentFigures, logger: Logger,
    reload: @escaping Reload
  ) {
    self.agent = agent
    self.rules = Lock([rules])
    self.process = process
    self.reload = reload
    self.figures = figures
    refusals = RefusalLog(logger)
  }

  /// Changes what is lent, and the rules with it. During the change a program must fit both the former rules and the
  /// new ones, and the former ones alone if it fails. For one change at a time.
  package func admit<Result, Failure: Error>(
    by rules: ClientRules, after change: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let former = self.rules.withLock { present in
      defer { present.append(rules) }
      return present
    }
    do throws(Failure) {
      let result = try await change()
      self.rules.withLock { $0 = [rules] }
      return result
    } catch {
      self.rules.withLock { $0 = former }
      throw error
    }
  }

  package func answer(_ request: ServerRequest) async -> ServerResponse {
    var response: ServerResponse
    do throws(AuthError) {
      let rights = try rights(of: request)
      if request.path == "/metrics" {
        try require(rights.allSatisfy(\.readsFigures), of: request, Self.noFigures)
        return await figures.page(request, of: agent)
      }
      response = ServerResponse(agentJSON: try await value(of: request, rights))
    } catch {
      response = ServerResponse(refusedByAgent: error)
    }
    figures.countAnswer(Self.pattern(of: request.path), status: response.status)
    return response
  }

  /// The path with its account left open, for the figures.
  private static func pattern(of path: String) -> String {
    switch path {
    case "/v1/accounts", "/v1/status", "/v1/reload": path
    case _ where path.hasPrefix("/v1/accounts/") && path.hasSuffix("/token"): "/v1/accounts/NAME/token"
    case _ where path.hasPrefix("/v1/accounts/") && path.hasSuffix("/refresh"): "/v1/accounts/NAME/refresh"
    default: "none"
    }
  }

  package func part(of peer: PeerProcess?, ofConnections count: Int) -> ConnectionPart {
    // During a change the new rules divide: they have just been read.
    rules.withLock { $0.last }?.part(of: peer, ofConnections: count) ?? ConnectionPart("all users", maximum: count)
  }

  /// The rights of the program that asks: it has what all of them give. Throws if it may not ask.
  private func rights(of request: ServerRequest) throws(AuthError) -> [ClientRights] {
    let rules = rules.withLock { $0 }
    let rights = rules.compactMap { $0.rights(of: request.process) }
    guard rights.count < rules.count else { return rights }
    let reason = rules.compactMap { $0.reason(refusing: request.process) }.first ?? "no rule admits it"
    log(request, reason)
    throw AuthError(.operationNotAllowed, "the agent's rules do not let this program ask: \(reason)")
  }

  private func log(_ request: ServerRequest, _ reason: String) {
    let part = part(of: request.process, ofConnections: 1)
    refusals.write("refused \(request): \(reason)", of: part.name, at: agent.now.boot)
  }

  private func require(_ isAllowed: Bool, of request: ServerRequest, _ reason: String) throws(AuthError) {
    guard !isAllowed else { return }
    log(request, reason)
    throw AuthError(.operationNotAllowed, reason)
  }

  private static let noFigures =
    "the agent's rules do not let this program read the figures, which are of all accounts; a rule does with "
    + "\"metrics\": true"
  private static let noReload =
    "only the agent's own user and root may have it read its settings again; SIGHUP does the same"
  private static let noRefresh =
    "the agent's rules do not let this program have a fresh token replaced; a rule does with \"refresh\": true"

  /// Refuses an account that the rules do not lend, as if there were none.
  private func requireLent(_ name: String, to rights: [ClientRights], by request: ServerRequest) throws(AuthError) {
    guard !rights.allSatisfy({ $0.lends(name) }) else { return }
    log(request, "no rule lends this account to the program")
    throw .noAccount(name)
  }

  /// Permits or refuses the fetch that would replace a fresh token of an account, and counts it.
  private func replacing(_ name: String, _ rights: [ClientRights]) -> TokenReplacing {
    { [refreshes] now throws(AuthError) in
      guard rights.allSatisfy({ $0.refreshes(name) }) else { throw AuthError(.operationNotAllowed, Self.noRefresh) }
      // During a change the program fits two sets of rules, and the new one counts.
      guard let rule = rights.compactMap({ $0.refreshLimit(for: name) }).last else { return }
      try refreshes.count(for: rule, at: now.boot)
    }
  }

  private func value(of request: ServerRequest, _ rights: [ClientRights]) async throws(AuthError) -> JSONObject {
    guard request.body.isEmpty else { throw AuthError(.invalidArgument, "the agent's requests have no body") }
    let segments = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    guard segments.first == "v1" else { throw Self.noPath }
    let query = try RequestQuery(request.query, of: segments.last == "token" ? ["minValidity"] : [])
    switch (segments.count, segments.last) {
    case (4, "token"?) where segments[1] == "accounts":
      try request.require("GET")
      let name = segments[2], minValidity = try query.duration("minValidity") ?? .seconds(30)
      try requireLent(name, to: rights, by: request)
      let replacing = replacing(name, rights)
      return lent(
        try await typed { try await agent.token(of: name, minValidity: minValidity, replacing: replacing) }, of: name)
    case (4, "refresh"?) where segments[1] == "accounts":
      try request.require("POST")
      let name = segments[2]
      try requireLent(name, to: rights, by: request)
      try require(rights.allSatisfy { $0.refreshes(name) }, of: request, Self.noRefresh)
      let replacing = replacing(name, rights)
      return lent(try await typed { try await agent.refresh(name, replacing: replacing) }, of: name)
    case (2, "accounts"?):
      try request.require("GET")
      return ["accounts": .array(statuses(for: rights).map { .object($0.json) })]
    case (2, "status"?):
      try request.require("GET")
      return status(for: rights)
    case (2, "reload"?):
      try request.require("POST")
      try require(rights.allSatisfy(\.isAdministrator), of: request, Self.noReload)
      return try await reload()
    default: throw Self.noPath
    }
  }

  private static var noPath: AuthError {
    AuthError(
      .invalidArgument,
      "there is nothing at this path; there are /v1/accounts, /v1/accounts/NAME/token, /v1/accounts/NAME/refresh, "
        + "/v1/status, /v1/reload and /metrics",
      serverCode: AuthError.pathUnknown)
  }

  private func lent(_ token: LentToken, of name: String) -> JSONObject {
    let rest = token.remainingLifetime(at: agent.now)
    return [
      "account": .string(name), "token": .string(token.value.revealed),
      // Rounded down: the token must not be used for longer than it lives.
      "expiresIn": .number(JSONNumber(rest.wholeSeconds)),
    ]
  }

  /// The accounts that a program may see.
  private func statuses(for rights: [ClientRights]) -> [AccountStatus] {
    agent.statuses.filter { status in rights.allSatisfy { $0.lends(status.name) } }
  }

  private func status(for rights: [ClientRights]) -> JSONObject {
    var counts: JSONObject = [:]
    for (state, count) in statuses(for: rights).countsByState { counts[state] = .number(JSONNumber(count)) }
    return ["process": .number(JSONNumber(Int64(process))), "accounts": .object(counts)]
  }
}
