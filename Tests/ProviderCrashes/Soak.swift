import Foundation
import GatehouseBase
import GatehouseLocal
import IdentityToolkit

/// Refreshes with rotation, again and again, and tells how large the provider's tables are.
struct Soak: Sendable {
  let home: String
  let refreshes: Int

  private static let sessions = 64

  func run() async throws {
    let backend = LocalBackend.crashing(home)
    let each = refreshes / Self.sessions / 10
    var tokens: [Secret] = []
    for _ in 0..<Self.sessions { tokens.append(try await backend.answer(SignUp()).refreshToken) }
    let begin = ContinuousClock.now
    for part in 1...10 {
      tokens = try await withThrowingTaskGroup(of: (Int, Secret).self) { group in
        for (index, token) in tokens.enumerated() {
          group.addTask {
            var token = token
            for _ in 0..<each {
              token = try await backend.answer(ExchangeRefreshToken(refreshToken: token)).refreshToken
            }
            return (index, token)
          }
        }
        var next = tokens
        for try await (index, token) in group { next[index] = token }
        return next
      }
      let rows = try await backend.refreshTokenRows()
      let size = (try? FileManager.default.attributesOfItem(atPath: home + "/accounts.sqlite")[.size] as? Int) ?? 0
      let rate = Double(part * each * Self.sessions) / ((ContinuousClock.now - begin) / .seconds(1))
      print("\(part * each * Self.sessions) refreshes, \(rows) rows, \(size) bytes, \(Int(rate)) a second")
    }
    try await backend.close()
  }
}
