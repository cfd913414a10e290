import Figures
import Foundation
import GatehouseBase
import GatehouseREST
import GatehouseServer
import Hummingbird
import IdentityToolkit
import Logging
import TokenSamples

/// What the server does a second beside what it is made of, in turns, so that a neighbor slows both; and what it keeps
/// when it is crowded or killed.
struct ServerBench: Sendable {
  let folder: String
  let seconds: Int

  private static let rounds = 5
  private static let processors = ProcessInfo.processInfo.activeProcessorCount
  private var load: Load { Load(folder: folder, seconds: seconds) }

  /// `accounts:lookup`, which verifies a token and reads a user, beside an empty route of Hummingbird's.
  func lookups() async throws -> [BoundedFigure] {
    try await serving("lookups") { provider, address in
      let request = Load.Request.lookups(try await provider.answer(SignUp()).idToken.revealed)
      let empty = Load.Request(path: "/empty", script: request.script)
      return try await emptyRoute { emptyAddress in
        try await ratios("accounts:lookup / an empty route", atLeast: 0.3) {
          try await blocking { try load.rate(request, at: address) }
        } raw: {
          try await blocking { try load.rate(empty, at: emptyAddress) }
        }
      }
    }
  }

  /// Token refreshes beside bare RS256 signatures on all processors.
  func refreshes() async throws -> [BoundedFigure] {
    try await serving("refreshes") { provider, address in
      let request = Load.Request.refreshes(try await provider.answer(SignUp()).refreshToken.revealed)
      let key = try RawKey(.RS256)
      return try await ratios("token refreshes / bare RS256 signatures", atLeast: 0.55) {
        try await blocking { try load.rate(request, at: address) }
      } raw: {
        try await signatures(key)
      }
    }
  }

  /// 1,000 connections on which users sign in with their passwords for 70 s, of which memory is compared after 10. To
  /// be told to come back is an answer: of one network, 64 sign-ins wait (decision 138).
  func crowd() async throws -> [BoundedFigure] {
    let users = 16, password = "correct horse"
    let server = try await ServedProcess(folder + "/crowd")
    // Not stopped: that would wait for the sign-ins that are under way, one for each connection.
    defer { server.kill() }
    let client = RESTBackend.loopback(server.address)
    for number in 1...users {
      _ = try await client.answer(SignUp(email: "user\(number)@example.com", password: Secret(password)))
    }
    let load = Load(folder: folder, seconds: 70), begin = ContinuousClock.now
    let crowd = Task {
      try await blocking {
        try load.answers(
          .signIns(users: users, password: password), at: server.address, connections: 1000, patience: 300)
      }
    }
    // A hash takes 32 MiB while it is made, so that single readings go up and down: the highest ones are compared.
    var early = 0.0, late = 0.0
    while ContinuousClock.now < begin + .seconds(69) {
      let resident = try server.resident()
      if ContinuousClock.now < begin + .seconds(10) {
        early = max(early, resident)
      } else {
        late = max(late, resident)
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    let outcome = await crowd.result
    let note: String
    switch outcome {
    case .success(let answers): note = "\(answers)"
    case .failure(let error): note = "\(error)"
    }
    let failures = (try? outcome.get()).map { Double($0.failed) } ?? .infinity
    return [
      BoundedFigure(
        "1,000 connections that sign in for 70 s, requests without an answer", [failures], atMost: 0, note),
      BoundedFigure(
        "growth of memory after the first 10 s, per cent", [(late / early - 1) * 100], atMost: 5,
        String(format: "%.1f, then %.1f MiB at most", early, late)),
    ]
  }

  /// What is gone after kills under load.
  func kills() async throws -> [BoundedFigure] {
    let crash = Crash(folder: folder + "/kills", load: Load(folder: folder, seconds: 3), kills: 10)
    let (accounts, missing, tokens) = try await crash.lost()
    let note = "\(accounts) acknowledged sign-ups, \(crash.kills) kills"
    return [
      BoundedFigure(
        "sign-ups missing after kills", [Double(missing)], atMost: 0, note),
      BoundedFigure(
        "refresh tokens lost after kills", [Double(tokens)], atMost: 0, note),
    ]
  }

  /// From the start of a server's process until `/readyz` is answered, with 100,000 accounts, in milliseconds.
  func start() async throws -> [BoundedFigure] {
    let accounts = 100_000, folder = folder + "/start"
    let maker = LocalBackend(directory: folder)
    for first in stride(from: 0, to: accounts, by: ImportAccounts.most) {
      let users = (first..<first + ImportAccounts.most).map { number in
        var user = ImportedAccount(localId: "user\(number)")
        user.email = "user\(number)@example.com"
        return user
      }
      let faults = try await maker.answer(ImportAccounts(users: users)).error ?? []
      guard faults.isEmpty else { throw Load.Failure(description: "\(faults)") }
    }
    try await maker.close()
    var times: [Double] = []
    for _ in 0...Self.rounds {
      let server = try await ServedProcess(folder)
      times.append(server.readyAfter / .milliseconds(1))
      server.stop()
    }
    // The first one also makes the client that asks.
    return [
      BoundedFigure(
        "start until ready, ms", Array(times.dropFirst()), atMost: 300,
        "\(accounts) accounts")
    ]
  }

  /// The longest wait of `/healthz` beside sixteen requests at a time that are as large as the server accepts.
  func largest() async throws -> [BoundedFigure] {
    let server = try await ServedProcess(folder + "/largest")
    defer { server.kill() }
    let user = try await RESTBackend.loopback(server.address).answer(SignUp())
    let load = LargestRequests(address: server.address, idToken: user.idToken.revealed)
    var waits: [Double] = [], kinds: [String] = []
    for _ in 0..<Self.rounds {
      let (seconds, kind) = try await load.longestWait()
      waits.append(seconds)
      kinds.append(kind)
    }
    return [
      BoundedFigure(
        "longest wait of /healthz beside 16 of the largest requests, s", waits, atMost: 1,
        "beside \(kinds.joined(separator: ", "))")
    ]
  }

  private func ratios(
    _ name: String, atLeast bound: Double, ours: () async throws -> Double, raw: () async throws -> Double
  ) async throws -> [BoundedFigure] {
    var ratios: [Double] = [], notes: [String] = []
    for _ in 0..<Self.rounds {
      let bare = try await raw(), own = try await ours()
      ratios.append(own / bare)
      notes.append(String(format: "%.0f/%.0f a second", own, bare))
    }
    return [BoundedFigure(name, ratios, atLeast: bound, notes.joined(separator: ", "))]
  }

  private func serving<Value>(
    _ name: String, _ work: (LocalBackend, String) async throws -> Value
  ) async throws -> Value {
    let provider = LocalBackend(directory: "\(folder)/\(name)")
    let server = HTTPServer(IdentityServer(provider))
    let value = try await work(provider, "\(server.start())")
    try await server.stop()
    try await provider.close()
    return value
  }

  /// An empty route, in this process too.
  private func emptyRoute<Value>(_ work: (String) async throws -> Value) async throws -> Value {
    let router = Router()
    router.post("empty") { _, _ in "{}" }
    let (ports, port) = AsyncStream<Int>.makeStream()
    let application = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
      logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
    let serving = Task { try await application.run() }
    defer { serving.cancel() }
    for await port in ports { return try await work("http://127.0.0.1:\(port)") }
    throw Load.Failure(description: "no port")
  }

  private func signatures(_ key: RawKey) async throws -> Double {
    let begin = ContinuousClock.now
    let end = begin + .seconds(seconds)
    let done = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<Self.processors {
        group.addTask {
          try await blocking {
            var done = 0
            let context = try RawContext(key, message: [UInt8](repeating: 42, count: 700))
            while ContinuousClock.now < end {
              try context.sign(100)
              done += 100
            }
            return done
          }
        }
      }
      return try await group.reduce(0, +)
    }
    return Double(done) / ((ContinuousClock.now - begin) / .seconds(1))
  }
}

/// Runs work that blocks, on a thread of its own.
func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { done in
    Thread.detachNewThread { done.resume(with: Result { try work() }) }
  }
}
