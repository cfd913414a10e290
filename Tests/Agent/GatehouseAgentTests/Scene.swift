import Dispatch
import Gatehouse
import GatehouseAgent
import GatehouseQueues
import GatehouseTesting

/// An agent with scripted sources, and clocks that only the test moves.
struct Scene: Sendable {
  let clocks = ManualClocks()
  let source: ScriptedTokenSource
  let agent: Agent
  /// The accounts for which the hook was called.
  let hooked = Lock<[String]>([])

  /// An agent with the account `a`, which has not started.
  init(lifetime: Duration = .seconds(3600), _ adjust: (inout Agent.Configuration) -> Void = { _ in }) throws {
    let hooked = hooked
    var configuration = Agent.Configuration(
      callbackQueue: DispatchQueue(label: "test.callbacks"), clocks: clocks, random: SeededRandomSource(seed: 1),
      needsPerson: { name, _ in hooked.withLock { $0.append(name) } })
    adjust(&configuration)
    source = ScriptedTokenSource(clocks: clocks, lifetime: lifetime)
    agent = Agent(configuration)
    try agent.add("a", source)
  }

  func token(minValidity: Duration = .seconds(30)) async throws -> String {
    try await agent.token(of: "a", minValidity: minValidity).value.revealed
  }

  /// The error of a token of the account `a`.
  func refusal(minValidity: Duration = .seconds(30)) async -> AuthError? {
    do { _ = try await token(minValidity: minValidity) } catch { return error as? AuthError }
    return nil
  }

  var state: AccountStatus.State? { agent.statuses.first { $0.name == "a" }?.state }

  /// Returns when everything that was due has been fetched: another account's fetch goes the same way behind it, and a
  /// close awaits all fetches in flight.
  func finish() async throws {
    try agent.add("last", ScriptedTokenSource(clocks: clocks))
    try await agent.refresh("last")
    try await agent.close()
  }
}

/// The code of the error that a call throws; `nil` if it throws none.
func refusalCode<Value>(_ call: () async throws -> Value) async -> AuthErrorCode? {
  do { _ = try await call() } catch { return (error as? AuthError)?.code }
  return nil
}

extension AuthError {
  static let away = AuthError(.networkError, "the issuer is away")
  static let over = AuthError(.userTokenExpired, "sign in again")
}
