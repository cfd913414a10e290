import Foundation
import FoundationNetworking
import GatehouseServer
import Hummingbird
import IdentityToolkit
import Logging
import TokenSamples

/// What the server does a second beside what it is made of, in turns, so that a neighbor slows both.
struct ServerBench {
  let folder: String
  let seconds: Int

  private static let rounds = 5
  private static let processors = ProcessInfo.processInfo.activeProcessorCount
  private var load: Load { Load(folder: folder, seconds: seconds) }

  /// `accounts:lookup`, which verifies a token and reads a user, beside an empty route of Hummingbird's.
  func lookups() async throws -> ServerFigure {
    try await serving("lookups") { provider, address in
      let token = try await provider.answer(SignUp()).idToken.revealed
      let body = #"{"idToken":"\#(token)"}"#
      return try await emptyRoute { empty in
        var ratios: [Double] = [], notes: [String] = []
        for _ in 0..<Self.rounds {
          let bare = try await blocking { try load.rate(empty, body: body) }
          let ours = try await blocking { try load.rate("\(address)/v1/accounts:lookup?key=k", body: body) }
          ratios.append(ours / bare)
          notes.append(String(format: "%.0f/%.0f a second", ours, bare))
        }
        return ServerFigure(
          name: "accounts:lookup / an empty route", rounds: ratios, bound: 0.5, note: notes.joined(separator: ", "))
      }
    }
  }

  /// Token refreshes beside bare RS256 signatures on all processors.
  func refreshes() async throws -> ServerFigure {
    try await serving("refreshes") { provider, address in
      let token = try await provider.answer(SignUp()).refreshToken.revealed
      let body = #"{"grant_type":"refresh_token","refresh_token":"\#(token)"}"#
      let key = try RawKey(.RS256)
      var ratios: [Double] = [], notes: [String] = []
      for _ in 0..<Self.rounds {
        let bare = try await signatures(key)
        let ours = try await blocking { try load.rate("\(address)/v1/token?key=k", body: body) }
        ratios.append(ours / bare)
        notes.append(String(format: "%.0f/%.0f a second", ours, bare))
      }
      return ServerFigure(
        name: "token refreshes / bare RS256 signatures", rounds: ratios, bound: 0.6,
        note: notes.joined(separator: ", "))
    }
  }

  /// How long it takes from making the provider of 100,000 accounts until `/readyz` is answered, in milliseconds.
  func start() async throws -> ServerFigure {
    let accounts = 100_000
    let maker = LocalBackend(directory: folder + "/start")
    let made = try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<accounts {
        if number >= 64 { try await group.next() }
        group.addTask {
          var call = CreateAccount()
          call.email = "user\(number)@example.com"
          _ = try await maker.answer(call)
        }
      }
      try await group.waitForAll()
      return accounts
    }
    try await maker.close()
    var times: [Double] = []
    for _ in 0..<Self.rounds {
      let begin = ContinuousClock.now
      let provider = LocalBackend(directory: folder + "/start")
      let server = HTTPServer(IdentityServer(provider))
      let address = try await server.start()
      let (_, response) = try await URLSession.shared.data(from: URL(string: "\(address)/readyz")!)
      guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw Load.Failure(description: "not ready") }
      times.append((ContinuousClock.now - begin) / .milliseconds(1))
      try await server.stop()
      try await provider.close()
    }
    return ServerFigure(
      name: "start until ready, ms", rounds: times, bound: 300, isMaximum: true, note: "\(made) accounts")
  }

  private func serving(
    _ name: String, _ work: (LocalBackend, String) async throws -> ServerFigure
  ) async throws -> ServerFigure {
    let provider = LocalBackend(directory: "\(folder)/\(name)")
    let server = HTTPServer(IdentityServer(provider))
    let figure = try await work(provider, "\(server.start())")
    try await server.stop()
    try await provider.close()
    return figure
  }

  /// An empty route, in this process too.
  private func emptyRoute(_ work: (String) async throws -> ServerFigure) async throws -> ServerFigure {
    let router = Router()
    router.post("empty") { _, _ in "{}" }
    let (ports, port) = AsyncStream<Int>.makeStream()
    let application = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
      logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
    let serving = Task { try await application.run() }
    var figure: ServerFigure?
    for await port in ports {
      figure = try await work("http://127.0.0.1:\(port)/empty")
      break
    }
    serving.cancel()
    guard let figure else { throw Load.Failure(description: "no port") }
    return figure
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
