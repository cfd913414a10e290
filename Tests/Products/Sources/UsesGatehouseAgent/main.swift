import GatehouseAgent

/// A source of one's own.
struct Own: TokenSource {
  let kind = "own"

  func fetch() async throws(AuthError) -> LentToken {
    LentToken(Secret("a-token"), lifetime: .seconds(600), received: SystemClocks().now())
  }
}

let agent = Agent()
try agent.add("own", Own())
try agent.start()
let token = try await agent.token(of: "own", minValidity: .seconds(120))
precondition(token.value.revealed == "a-token")
precondition(agent.statuses.map(\.name) == ["own"])
try await agent.close()
print("GatehouseAgent: \(token.remainingLifetime(at: SystemClocks().now())) left.")
