import Figures
import Foundation

/// The figures of a daemon in a process of its own.
struct DaemonBench: Sendable {
  let folder: String
  let seconds: Double

  private static let rounds = 5
  private static let accounts = 10_000

  // MARK: Memory

  func memory() async throws -> [BoundedFigure] {
    let empty = try AgentHome(folder + "/empty").start()
    try await empty.waitUntilLending(0)
    let before = try Memory(of: empty.process)
    let home = try AgentHome(folder + "/files")
    try home.addTokenFiles(Self.accounts)
    let files = try await memory(of: home)
    var sessions = before
    try await HeldProvider(folder: folder + "/provider").serving { address in
      let home = try AgentHome(folder + "/sessions")
      try home.addSessions(Self.accounts, at: address)
      sessions = try await memory(of: home)
    }
    return [
      figure("MiB for 10,000 accounts with a token in a file", files, before),
      figure("MiB for 10,000 accounts with a session at a server", sessions, before),
    ]
  }

  /// The memory of a process, in MiB.
  private struct Memory {
    let all: Double
    /// The memory without the pages of the program's file, which the kernel can drop and read again.
    let own: Double

    init(of process: ReadyProcess) throws {
      all = try process.resident()
      own = try process.resident("RssAnon")
    }
  }

  private func memory(of home: AgentHome) async throws -> Memory {
    // More fetches at once would need memory of their own.
    let daemon = try home.start(fetchesPerSecond: 100)
    try await daemon.waitUntilLending(Self.accounts)
    // The threads of the fetches end after ten idle seconds, and free memory is given back every fifteen.
    try await Task.sleep(for: .seconds(40))
    return try Memory(of: daemon.process)
  }

  /// - Parameter before: the memory of a daemon without accounts.
  private func figure(_ name: String, _ memory: Memory, _ before: Memory) -> BoundedFigure {
    // 40 MB.
    BoundedFigure(
      name, [memory.all - before.all], atMost: 38.1,
      "\(shown(before.all)) empty; without the program's file \(shown(memory.own - before.own))")
  }

  private func shown(_ value: Double) -> String { String(format: "%.1f", value) }

  // MARK: Answers

  private static let cached = RunningDaemon.request("GET", "/v1/accounts/file-0/token")

  func answers() async throws -> [BoundedFigure] {
    let home = try AgentHome(folder + "/answers")
    try home.addTokenFiles(1)
    let daemon = try home.start()
    try await daemon.waitUntilLending(1)
    let empty = folder + "/empty-socket"
    let server = try ReadyProcess("AgentBenchmark", ["serve-empty", empty])
    defer { withExtendedLifetime(server) {} }
    var ratios: [Double] = [], notes: [String] = []
    for _ in 0..<Self.rounds {
      let bare = try KeptConnections(path: empty, count: 32).run(RunningDaemon.request("GET", "/"), seconds: seconds)
      let own = try KeptConnections(path: daemon.socket, count: 32).run(Self.cached, seconds: seconds)
      ratios.append(own.rate / bare.rate)
      notes.append(String(format: "%.0f/%.0f a second", own.rate, bare.rate))
    }
    return [
      BoundedFigure(
        "cached answers, 32 connections / an empty route of the same server", ratios, atLeast: 0.8,
        notes.joined(separator: ", "))
    ]
  }

  // MARK: A provider that hangs

  func hang() async throws -> [BoundedFigure] {
    let provider = HeldProvider(folder: folder + "/hanging")
    var ratios: [Double] = [], notes: [String] = []
    try await provider.serving { address in
      let home = try AgentHome(folder + "/hang")
      let count = 64
      try home.addSessions(count, at: address)
      let daemon = try home.start()
      try await daemon.waitUntilLending(count)
      for _ in 0..<Self.rounds {
        let healthy = try p99(of: daemon)
        provider.hold()
        let refreshes = provider.refreshes
        let waiting = try KeptConnections(path: daemon.socket, count: count)
        try waiting.send { RunningDaemon.request("POST", "/v1/accounts/session-\($0)/refresh") }
        while provider.refreshes < refreshes + count { try await Task.sleep(for: .milliseconds(10)) }
        let hanging = try p99(of: daemon)
        provider.release()
        guard try waiting.statuses().allSatisfy({ $0 == 200 }) else {
          throw BenchFailure(description: "a refresh failed after the provider was back")
        }
        ratios.append(hanging / healthy)
        notes.append(String(format: "%.0f/%.0f µs", hanging * 1e6, healthy * 1e6))
      }
    }
    return [
      BoundedFigure(
        "p99 of a cached answer while refreshes of 64 accounts hang / while nothing does", ratios,
        atMost: 1.5, notes.joined(separator: ", "))
    ]
  }

  private func p99(of daemon: RunningDaemon) throws -> Double {
    let times = try KeptConnections(path: daemon.socket, count: 1)
      .run(RunningDaemon.request("GET", "/v1/accounts/session-0/token"), seconds: seconds).times
    return times[times.count * 99 / 100]
  }

  // MARK: Idle

  /// The requirement is for the hour of virtual time, which has no waiting thread, no timer of the kernel's and no
  /// socket. This has them, and its looks at the accounts' files.
  func idle() async throws -> [BoundedFigure] {
    let home = try AgentHome(folder + "/idle")
    try home.addTokenFiles(Self.accounts)
    let daemon = try home.start()
    try await daemon.waitUntilLending(Self.accounts)
    try await Task.sleep(for: .seconds(2))
    let before = try daemon.process.processorTime()
    try await Task.sleep(for: .seconds(30))
    let used = try daemon.process.processorTime() - before
    return [
      BoundedFigure(
        "processor time of an idle daemon with 10,000 accounts, s an hour by the rate of 30 s",
        [used * 120], String(format: "%.2f s in 30 s", used))
    ]
  }

  // MARK: A crowd

  func crowd() async throws -> [BoundedFigure] {
    let provider = HeldProvider(folder: folder + "/crowded")
    var counts: [Double] = [], notes: [String] = []
    try await provider.serving { address in
      let home = try AgentHome(folder + "/crowd")
      try home.addSessions(1, at: address)
      let daemon = try home.start()
      for _ in 0..<3 {
        try await daemon.waitUntilLending(1)
        // Ten seconds after a fetch another one may begin. The token of an hour then lasts less than is asked for.
        try await Task.sleep(for: .seconds(12))
        let before = provider.refreshes
        let programs = try KeptConnections(path: daemon.socket, count: 1000)
        let begin = ContinuousClock.now
        try programs.send { _ in RunningDaemon.request("GET", "/v1/accounts/session-0/token?minValidity=3592") }
        let statuses = try programs.statuses()
        guard statuses.allSatisfy({ $0 == 200 }) else {
          throw BenchFailure(description: "\(statuses.count { $0 != 200 }) programs were refused")
        }
        counts.append(Double(provider.refreshes - before))
        notes.append(String(format: "%.0f ms", (ContinuousClock.now - begin) / .milliseconds(1)))
      }
    }
    return [
      BoundedFigure(
        "refreshes, 1,000 programs that ask at once for a token that is due", counts, atMost: 1,
        "all answered within \(notes.joined(separator: ", "))")
    ]
  }
}
