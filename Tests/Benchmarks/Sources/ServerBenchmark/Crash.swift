import Foundation
import GatehouseBase
import GatehouseQueues
import GatehouseREST
import IdentityToolkit

/// A server that is killed while clients sign up and refresh, again and again in one folder.
struct Crash: Sendable {
  let folder: String
  let load: Load
  let kills: Int

  /// What a server has acknowledged.
  private struct Account: Sendable {
    let uid: String
    let refreshToken: Secret
  }

  /// - Returns: how many sign-ups were acknowledged; how many of these accounts are missing; and how many of their
  ///   refresh tokens do not refresh.
  func lost() async throws -> (accounts: Int, missing: Int, tokens: Int) {
    let made = Lock<[Account]>([])
    for _ in 0..<kills {
      let server = try await ServedProcess(folder)
      let client = RESTBackend.loopback(server.address)
      let first = try await client.answer(SignUp()).refreshToken.revealed
      // Its connections fail when the server is gone.
      let crowd = Task {
        try? await blocking { [load] in try load.rate(.refreshes(first), at: server.address) }
      }
      let users = (0..<16).map { _ in
        Task {
          while let user = try? await client.answer(SignUp()) {
            made.withLock { $0.append(Account(uid: user.localId, refreshToken: user.refreshToken)) }
          }
        }
      }
      let enough = made.withLock { $0.count } + Int.random(in: 200...600)
      while made.withLock({ $0.count }) < enough { try await Task.sleep(for: .milliseconds(1)) }
      server.kill()
      for user in users { await user.value }
      _ = await crowd.value
    }
    let server = try await ServedProcess(folder)
    defer { server.stop() }
    let client = RESTBackend.loopback(server.address), accounts = made.withLock { $0 }
    var missing = 0, tokens = 0
    for account in accounts {
      do {
        let fresh = try await client.answer(ExchangeRefreshToken(refreshToken: account.refreshToken))
        if fresh.userId != account.uid { tokens += 1 }
        let users = try await client.answer(Lookup(idToken: fresh.idToken)).users
        if users?.first?.localId != account.uid { missing += 1 }
      } catch {
        if error.code == .userNotFound { missing += 1 } else { tokens += 1 }
      }
    }
    return (accounts.count, missing, tokens)
  }
}

extension RESTBackend {
  /// A client of a server on this machine.
  static func loopback(_ address: String) -> RESTBackend {
    RESTBackend(apiKey: "k", options: RESTOptions(server: RESTServer(url: address)))
  }
}
