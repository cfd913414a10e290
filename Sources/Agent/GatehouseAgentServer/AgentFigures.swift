import CoreMetrics
import GatehouseAgent
package import GatehouseBase
import GatehouseServer

/// The figures of a daemon, for Prometheus: its accounts by state, its fetches by outcome, the answers to its clients.
///
/// Labels are states, paths and error codes. No name of an account and no value that a client chooses becomes one.
package final class AgentFigures: Sendable {
  private let metrics = PrometheusMetrics()

  package init() {}

  /// Returns a source that fetches from another one, and counts what comes of it.
  ///
  /// - Parameter clocks: the clocks that measure how long a fetch takes.
  package func counting(_ source: any TokenSource, clocks: any Clocks = SystemClocks()) -> any TokenSource {
    CountedSource(source: source, clocks: clocks, figures: self)
  }

  /// Counts an answer.
  ///
  /// - Parameter path: the path with its account left open; `none` for a request that has no answer.
  func countAnswer(_ path: String, status: Int) {
    Counter(
      label: "gatehouse_agent_requests_total", dimensions: [("path", path), ("status", String(status))],
      factory: metrics
    ).increment()
  }

  /// The page `/metrics`.
  func page(_ request: ServerRequest, of agent: Agent) async -> ServerResponse {
    for (state, count) in agent.statuses.countsByState {
      Gauge(label: "gatehouse_agent_accounts", dimensions: [("state", state)], factory: metrics).record(count)
    }
    return await metrics.answer(request)
  }

  fileprivate func countFetch(_ outcome: String, seconds: Double) {
    Counter(label: "gatehouse_agent_fetches_total", dimensions: [("outcome", outcome)], factory: metrics).increment()
    Recorder(label: "gatehouse_agent_fetch_duration_seconds", dimensions: [], aggregate: true, factory: metrics)
      .record(seconds)
  }
}

extension [AccountStatus] {
  /// The number of accounts in each state, also of states that no account is in.
  var countsByState: [(state: String, count: Int)] {
    let states = map(\.state.name)
    return ["lending", "empty", "failing", "needsPerson"].map { name in (name, states.count { $0 == name }) }
  }
}

private struct CountedSource: TokenSource {
  let source: any TokenSource
  let clocks: any Clocks
  let figures: AgentFigures
  var kind: String { source.kind }

  func fetch() async throws(AuthError) -> LentToken {
    let begin = clocks.now()
    func count(_ outcome: String) {
      figures.countFetch(outcome, seconds: clocks.now().boot - begin.boot)
    }
    do throws(AuthError) {
      let token = try await source.fetch()
      count("token")
      return token
    } catch {
      count("\(error.code)")
      throw error
    }
  }
}
