import Figures
import Foundation
import Gatehouse
import GatehouseLocal
import IdentityToolkit
import TokenSamples

/// What the provider does a second beside what OpenSSL alone does, in turns, so that a neighbor slows both.
struct ProviderBench: Sendable {
  let folder: String
  let seconds: Double

  private static let rounds = 5
  private static let workers = ProcessInfo.processInfo.activeProcessorCount

  /// Password sign-ins beside bare scrypt hashes at the same cost.
  func signIns() async throws -> BoundedFigure {
    let provider = LocalBackend(directory: folder + "/sign-ins")
    for worker in 0..<Self.workers * 2 { _ = try await provider.answer(signUp(worker)) }
    let cost = PasswordCost.standard
    let ratios = try await ratios(
      raw: { _ in try hash(cost) },
      ours: { worker in
        let call = SignInWithPassword(email: "user\(worker)@example.com", password: Secret("correct horse"))
        _ = try await provider.answer(call)
      })
    try await provider.close()
    return BoundedFigure("password sign-ins / bare scrypt hashes", ratios, atLeast: 0.9)
  }

  /// Token refreshes beside bare RS256 signatures.
  func refreshes(rotating: Bool) async throws -> BoundedFigure {
    var options = LocalOptions()
    options.rotatesRefreshTokens = rotating
    let provider = LocalBackend(directory: folder + (rotating ? "/rotating" : "/refreshes"), options: options)
    // Enough that both processors work while changes wait for the disk together.
    let callers = 32
    let tokens = RefreshTokens(callers)
    for caller in 0..<callers { await tokens.set(caller, try await provider.answer(SignUp()).refreshToken) }
    let key = try RawKey(.RS256)
    let ratios = try await ratios(
      callers: callers,
      raw: { _ in
        let context = try RawContext(key, message: [UInt8](repeating: 42, count: 700))
        try context.sign(100)
        return 100
      },
      ours: { caller in
        let answer = try await provider.answer(ExchangeRefreshToken(refreshToken: await tokens[caller]))
        await tokens.set(caller, answer.refreshToken)
      })
    try await provider.close()
    return BoundedFigure(
      "token refreshes\(rotating ? ", rotating," : "") / bare RS256 signatures", ratios, atLeast: rotating ? 0.5 : 0.8)
  }

  /// The 99th percentile of cached `getIDToken` calls while all processors hash passwords, beside idle.
  func cachedTokens() async throws -> BoundedFigure {
    let provider = LocalBackend(directory: folder + "/tokens")
    let auth = Auth(.init(backend: provider, callbackQueue: DispatchQueue(label: "bench.callbacks")))
    let user = try await auth.signInAnonymously().user
    for worker in 0..<Self.workers * 2 { _ = try await provider.answer(signUp(worker)) }
    var ratios: [Double] = []
    var notes: [String] = []
    for _ in 0..<Self.rounds {
      let idle = try await percentiles(of: user)
      let load = (0..<Self.workers * 2).map { worker in
        Task {
          let call = SignInWithPassword(email: "user\(worker)@example.com", password: Secret("correct horse"))
          while !Task.isCancelled { _ = try await provider.answer(call) }
        }
      }
      let busy = try await percentiles(of: user)
      for task in load { task.cancel() }
      for task in load { _ = await task.result }
      ratios.append(busy.p99 / idle.p99)
      notes.append(
        String(
          format: "%.1f/%.1f µs, p99.9 %.1f/%.1f", busy.p99 * 1e6, idle.p99 * 1e6, busy.p999 * 1e6, idle.p999 * 1e6))
    }
    await auth.closeQuietly()
    try await provider.close()
    return BoundedFigure(
      "p99 of cached getIDToken while hashing / idle", ratios, atMost: 3, notes.joined(separator: "; "))
  }

  private func percentiles(of user: User) async throws -> (p99: Double, p999: Double) {
    var times: [Double] = []
    times.reserveCapacity(100_000)
    for _ in 0..<100_000 {
      let begin = DispatchTime.now().uptimeNanoseconds
      _ = try await user.getIDToken()
      times.append(Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9)
    }
    times.sort()
    return (times[99_000], times[99_900])
  }

  private func signUp(_ worker: Int) -> SignUp {
    SignUp(email: "user\(worker)@example.com", password: Secret("correct horse"))
  }

  /// - Parameters:
  ///   - raw: does it on one thread, and says how often.
  ///   - ours: does it once, for one of the callers.
  private func ratios(
    callers: Int? = nil, raw: @escaping @Sendable (Int) throws -> Int,
    ours: @escaping @Sendable (Int) async throws -> Void
  ) async throws -> [Double] {
    var ratios: [Double] = []
    for _ in 0..<Self.rounds {
      let bare = try await rate(Self.workers) { worker in
        // On a thread of its own: a task must not keep one of the pool's.
        try await withCheckedThrowingContinuation { done in
          Thread.detachNewThread { done.resume(with: Result { try raw(worker) }) }
        }
      }
      let provider = try await rate(callers ?? Self.workers * 2) { caller in
        try await ours(caller)
        return 1
      }
      ratios.append(provider / bare)
    }
    return ratios
  }

  private func rate(_ count: Int, _ work: @escaping @Sendable (Int) async throws -> Int) async throws -> Double {
    let begin = ContinuousClock.now
    let end = begin + .seconds(seconds)
    let done = try await withThrowingTaskGroup(of: Int.self) { group in
      for worker in 0..<count {
        group.addTask {
          var done = 0
          while ContinuousClock.now < end { done += try await work(worker) }
          return done
        }
      }
      return try await group.reduce(0, +)
    }
    return Double(done) / ((ContinuousClock.now - begin) / .seconds(1))
  }
}

/// One bare scrypt hash.
@Sendable private func hash(_ cost: PasswordCost) throws -> Int {
  try RawHash.scrypt(n: cost.n, r: cost.r, p: cost.p)
  return 1
}

/// The refresh token of each caller.
actor RefreshTokens {
  private var tokens: [Secret]

  init(_ count: Int) { tokens = Array(repeating: Secret(""), count: count) }

  subscript(_ caller: Int) -> Secret { tokens[caller] }

  func set(_ caller: Int, _ token: Secret) { tokens[caller] = token }
}

extension Auth {
  fileprivate func closeQuietly() async { try? await close() }
}
