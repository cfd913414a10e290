import Foundation
import GatehouseAgentClient
import GatehouseBase
import GatehouseQueues

/// The token daemon keeps sessions at a server with rotation, and clients have it refresh them again and again. The
/// daemon is killed at seeded moments, and started again at once. The server is not killed.
struct AgentRotations: Sendable {
  let folder: String

  private static let names = (0..<4).map { "account-\($0)" }
  private var home: String { folder + "/agent" }
  private var socket: String { home + "/agent/agent.socket" }

  /// Kills the daemon, and checks that it loses no session and that the server saw no reuse of a refresh token.
  ///
  /// - Returns: the number of refreshes that clients were told.
  func run(kills: Int, _ numbers: inout SeededNumbers, seed: UInt64) async throws -> Int {
    let email = "ada@example.com", password = "correct horse"
    let server = folder + "/server"
    try GateProgram.run(["sign-up", email, "--home", server, "--password-stdin"], input: password)
    let provider = try GateProgram(
      ["serve", "--home", server, "--port", "0", "--json"],
      environment: ["GATEHOUSE_PROVIDER_ROTATES_REFRESH_TOKENS": "true"], isQuiet: true)
    defer { provider.kill() }
    let address = try provider.address()
    for name in Self.names {
      try GateProgram.run(
        [
          "agent", "login", name, email, "--backend", address, "--password-stdin", "--home", home, "--socket", socket,
        ], input: password)
    }
    try Data(#"{"fetchesPerSecond": 10000}"#.utf8).write(to: URL(fileURLWithPath: folder + "/agent.json"))
    let clients = RefreshingClients(Self.names, at: socket)
    defer { clients.stop() }
    for round in 1...kills {
      let daemon = try startDaemon()
      defer { daemon.kill() }
      // A kill comes at a random moment. Half of them come early, while the daemon starts and fetches its first tokens.
      if Bool.random(using: &numbers) {
        try await Task.sleep(for: .microseconds(Int.random(in: 0...400_000, using: &numbers)))
      } else {
        let count = Int.random(in: 1...8, using: &numbers)
        guard await clients.wait(forMore: count) else { throw fault(round, seed, clients) }
        try await Task.sleep(for: .microseconds(Int.random(in: 0...20_000, using: &numbers)))
      }
      daemon.kill()
      if clients.loss != nil { throw fault(round, seed, clients) }
      if round.isMultiple(of: 50) { print("\(round) kills, \(clients.refreshes) refreshes") }
    }
    clients.stop()
    let last = try startDaemon()
    defer { last.kill() }
    _ = try last.address()
    for name in Self.names {
      do { _ = try await AgentClient(socket: socket).refresh(name) } catch {
        throw Fault(round: kills, seed: seed, text: "\(name) is lost: \(error)")
      }
    }
    let audit = server + "/provider/audit"
    guard FileManager.default.fileExists(atPath: audit + "/audit.jsonl") else {
      throw Fault(round: kills, seed: seed, text: "the server keeps no log in \(audit)")
    }
    // There is no such file before the first event.
    let log = (try? String(contentsOfFile: audit + "/security.jsonl", encoding: .utf8)) ?? ""
    guard !log.contains("refreshTokenReused") else {
      throw Fault(round: kills, seed: seed, text: "a refresh token was used twice outside its grace")
    }
    return clients.refreshes
  }

  private func startDaemon() throws -> GateProgram {
    try GateProgram(
      ["agent", "--home", home, "--socket", socket, "--config", folder + "/agent.json", "--json"], isQuiet: true)
  }

  private func fault(_ round: Int, _ seed: UInt64, _ clients: RefreshingClients) -> Fault {
    Fault(
      round: round, seed: seed, text: clients.loss ?? "no refresh for ten minutes; the last error: \(clients.refusal)")
  }
}

/// Clients of the daemon, one for each account, which ask for a refresh again and again.
private final class RefreshingClients: Sendable {
  private struct State {
    var refreshes = 0
    var refusal = "none"
    var loss: String?
    var tasks: [Task<Void, Never>] = []
  }

  private let state = Lock(State())

  init(_ names: [String], at socket: String) {
    let tasks = names.map { name in
      Task { [self] in
        while !Task.isCancelled { await refresh(name, AgentClient(socket: socket)) }
      }
    }
    state.withLock { $0.tasks = tasks }
  }

  private func refresh(_ name: String, _ client: AgentClient) async {
    do {
      _ = try await client.refresh(name)
      state.withLock { $0.refreshes += 1 }
    } catch {
      let code = (error as? AuthError)?.code
      let isLost = [.userTokenExpired, .invalidUserToken, .userDisabled, .userNotFound].contains(code)
      state.withLock {
        $0.refusal = "\(error)"
        if isLost { $0.loss = "\(name) is lost: \(error)" }
      }
      // No process listens until the daemon has started again.
      try? await Task.sleep(for: .milliseconds(2))
    }
  }

  var refreshes: Int { state.withLock { $0.refreshes } }
  /// The latest error.
  var refusal: String { state.withLock { $0.refusal } }
  /// The error of a session that has ended.
  var loss: String? { state.withLock { $0.loss } }

  /// Waits for so many further refreshes, for ten minutes at most: a hang ends so.
  func wait(forMore count: Int) async -> Bool {
    let wanted = refreshes + count
    for _ in 0..<600_000 where refreshes < wanted {
      if loss != nil { return false }
      try? await Task.sleep(for: .milliseconds(1))
    }
    return refreshes >= wanted
  }

  func stop() { for task in state.withLock({ $0.tasks }) { task.cancel() } }
}
