package import GatehouseAgent
package import GatehouseBase
import GatehouseHTTP
import GatehouseQueues
package import GatehouseServer
import GatehouseSystem
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
package final class AgentServer: RequestHandler {
  /// Reads the settings again, and returns what has changed.
  package typealias Reload = @Sendable () async throws(AuthError) -> JSONObject

  private let agent: Agent
  /// The rules, all of which a program must fit: one, and during a change another one.
  private let rules: Lock<[ClientRules]>
  private let process: Int32
  private let reload: Reload
  private let refusals: RefusalLog
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
      try admit(request)
      if request.path == "/metrics" { return await figures.page(request, of: agent) }
      response = ServerResponse(agentJSON: try await value(of: request))
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

  private func admit(_ request: ServerRequest) throws(AuthError) {
    let reasons = rules.withLock { $0.compactMap { $0.reason(refusing: request.process) } }
    guard let reason = reasons.first else { return }
    refusals.write("refused \(request): \(reason)", user: request.process?.user, at: agent.now.boot)
    throw AuthError(.operationNotAllowed, "the agent's rules do not let this program ask: \(reason)")
  }

  private func value(of request: ServerRequest) async throws(AuthError) -> JSONObject {
    guard request.body.isEmpty else { throw AuthError(.invalidArgument, "the agent's requests have no body") }
    let segments = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    guard segments.first == "v1" else { throw Self.noPath }
    let query = try RequestQuery(request.query, of: segments.last == "token" ? ["minValidity"] : [])
    switch (segments.count, segments.last) {
    case (4, "token"?) where segments[1] == "accounts":
      try request.require("GET")
      let name = segments[2]
      let token = try await typed {
        try await agent.token(of: name, minValidity: try query.duration("minValidity") ?? .seconds(30))
      }
      return lent(token, of: name)
    case (4, "refresh"?) where segments[1] == "accounts":
      try request.require("POST")
      let name = segments[2]
      return lent(try await typed { try await agent.refresh(name) }, of: name)
    case (2, "accounts"?):
      try request.require("GET")
      return ["accounts": .array(agent.statuses.map { .object($0.json) })]
    case (2, "status"?):
      try request.require("GET")
      return status
    case (2, "reload"?):
      try request.require("POST")
      guard rules.withLock({ $0.allSatisfy { $0.isOwner(request.process) } }) else {
        throw AuthError(
          .operationNotAllowed, "only the agent's own user may ask it to read its settings again; SIGHUP does the same")
      }
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

  private var status: JSONObject {
    var counts: JSONObject = [:]
    for (state, count) in agent.countsByState { counts[state] = .number(JSONNumber(count)) }
    return ["process": .number(JSONNumber(Int64(process))), "accounts": .object(counts)]
  }
}
