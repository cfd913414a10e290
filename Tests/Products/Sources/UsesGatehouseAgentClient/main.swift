import GatehouseAgentClient

// No daemon listens there: the error says how to start one.
let agent = AgentClient(socket: "/nowhere/agent.socket")
do {
  print(try await agent.token(of: "mail", minValidity: .seconds(120)).value)
} catch let error as AuthError {
  print("GatehouseAgentClient: \(error.message)")
}
