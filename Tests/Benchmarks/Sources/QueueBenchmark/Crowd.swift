import Foundation
import Gatehouse
import GatehouseLocal

/// 200 sign-ins, 2,000 token requests and 200 refreshes at once, on the embedded provider at its standard password
/// cost, every session in a file. How long do the work queue's blocks run meanwhile?
struct Crowd {
  private let folder: String
  private let provider: LocalBackend

  init(in folder: String) {
    self.folder = folder
    provider = LocalBackend(directory: folder + "/provider")
  }

  /// Runs it, and prints what the work queue measured of itself.
  func run() async throws -> [Figure] {
    let begin = ContinuousClock.now
    let holders = try await signUp(count: 20)
    let other = try await auth("others")
    for number in 0..<200 {
      _ = try await other.createUser(withEmail: "signing-in-\(number)@example.com", password: "correct horse")
    }
    print("prepared in \(ContinuousClock.now - begin)")

    let before = Auth.diagnostics
    let start = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          let auth = try await auth("in-\(number)")
          _ = try await auth.signIn(withEmail: "signing-in-\(number)@example.com", password: "correct horse")
        }
      }
      for number in 0..<2_000 {
        group.addTask { _ = try await holders[number % holders.count].getIDToken() }
      }
      for number in 0..<200 {
        group.addTask { _ = try await holders[number % holders.count].getIDToken(forcingRefresh: true) }
      }
      try await group.waitForAll()
    }
    let seen = Auth.diagnostics
    report(seen, since: before, took: ContinuousClock.now - start)
    return [
      Figure("processor time of a block, p99.9", seen.processorTime.p999.inMicroseconds, atMost: 200, "µs"),
      Figure("slow work on the work queue", Double(seen.slowWork), atMost: 0),
    ]
  }

  private func signUp(count: Int) async throws -> [User] {
    var users: [User] = []
    for number in 0..<count {
      let auth = try await auth("holder-\(number)")
      users.append(try await auth.createUser(withEmail: "holder-\(number)@example.com", password: "correct horse").user)
    }
    return users
  }

  private func auth(_ name: String) async throws -> Auth {
    var configuration = Auth.Configuration(
      backend: provider, store: .file("\(folder)/sessions/\(name)/session.json"))
    configuration.timeouts.call = .seconds(300)  // the crowd waits for its password hashes
    configuration.timeouts.refresh = .seconds(300)
    let auth = Auth(configuration)
    try await auth.ready()
    return auth
  }

  private func report(_ seen: QueueDiagnostics, since before: QueueDiagnostics, took: Duration) {
    print("200 sign-ins, 2,000 token requests, 200 forced refreshes at once: \(took)")
    print("blocks on the work queue: \(seen.blocks - before.blocks)")
    print("                 median       p99        p99.9      longest")
    print("processor time   \(row(seen.processorTime))")
    print("wall time        \(row(seen.wallTime))")
    print("wait in line     \(row(seen.waitTime))")
    if let slowest = seen.slowestBlock { print("slowest block: \(slowest.name)") }
    print("slow work seen on the work queue: \(seen.slowWork); calls in place: \(seen.callsInPlace)")
  }

  private func row(_ times: QueueDiagnostics.Distribution) -> String {
    [times.median, times.p99, times.p999, times.maximum].map(microseconds).joined(separator: " ")
  }

  private func microseconds(_ time: Duration) -> String {
    let text = String(format: "%.1f µs", time.inMicroseconds)
    return text.padding(toLength: 10, withPad: " ", startingAt: 0)
  }
}
