import Foundation

/// A home of the daemon, with accounts as `gate agent login` makes them.
struct AgentHome {
  let path: String

  init(_ path: String) throws {
    self.path = path
    try Self.make(accounts)
  }

  private var accounts: String { path + "/agent/accounts" }

  private static func make(_ folder: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  private static func write(_ text: String, to file: String) throws {
    guard
      FileManager.default.createFile(atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
    else { throw BenchFailure(description: "\(file) could not be written") }
  }

  /// Makes accounts `file-1`, `file-2` and so on, each with a token of a usual length in a file of its own.
  func addTokenFiles(_ count: Int) throws {
    try Self.make(path + "/tokens")
    for number in 0..<count {
      let name = "file-\(number)"
      try Self.make("\(accounts)/\(name)")
      let life = Int(Date().timeIntervalSince1970) + 86_400
      try Self.write(Self.token(number, until: life), to: "\(path)/tokens/\(name)")
      try Self.write(
        #"{"tokenFile": "\#(path)/tokens/\#(name)", "lifetimeSeconds": 86400}"#, to: "\(accounts)/\(name)/account.json")
    }
  }

  /// A JWT with a signature that no program checks, of 900 bytes.
  private static func token(_ number: Int, until expiry: Int) -> String {
    func part(_ text: String) -> String {
      Data(text.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
        .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    }
    let claims = #"{"sub":"\#(number)","exp":\#(expiry),"iss":"https://example.com","name":""#
    let room = String(repeating: "a", count: 380 - claims.utf8.count)
    return
      "\(part(#"{"alg":"RS256","typ":"JWT"}"#)).\(part(claims + room + #""}"#)).\(String(repeating: "s", count: 342))"
  }

  /// Signs in once, and makes accounts `session-0`, `session-1` and so on with copies of that session. The provider
  /// does not rotate, so each copy can be refreshed.
  func addSessions(_ count: Int, at address: String) throws {
    try ReadyProcess.run(
      "gate",
      [
        "agent", "login", "session-0", HeldProvider.email, "--backend", address, "--home", path, "--password-stdin",
        "--socket", path + "/none",
      ], input: HeldProvider.password)
    for number in 1..<count {
      try FileManager.default.copyItem(atPath: accounts + "/session-0", toPath: "\(accounts)/session-\(number)")
    }
  }

  /// Starts the daemon.
  func start(fetchesPerSecond: Int = 10_000) throws -> RunningDaemon {
    try Self.write(#"{"fetchesPerSecond": \#(fetchesPerSecond)}"#, to: path + "/agent.json")
    let process = try ReadyProcess(
      "gate", ["agent", "--home", path, "--config", path + "/agent.json", "--socket", path + "/socket"])
    return RunningDaemon(process: process, socket: path + "/socket")
  }
}

/// A daemon that answers at a socket.
struct RunningDaemon {
  let process: ReadyProcess
  let socket: String

  static func request(_ method: String, _ target: String) -> String {
    "\(method) \(target) HTTP/1.1\r\nHost: agent\r\n\r\n"
  }

  /// Waits until it lends tokens of all accounts.
  func waitUntilLending(_ count: Int) async throws {
    for _ in 0..<6000 {
      let status = try ReadyProcess.run("gate", ["agent", "status", "--json", "--socket", socket])
      if status.contains(#""lending":\#(count),"#) { return }
      try await Task.sleep(for: .milliseconds(100))
    }
    throw BenchFailure(description: "the daemon does not lend \(count) tokens")
  }
}
