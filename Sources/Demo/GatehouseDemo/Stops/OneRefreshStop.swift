import Foundation
import Gatehouse
import IdentityToolkit

extension TourStop {
  private static let threads = 64

  static let oneRefresh = TourStop("Threads that ask for a token that is due share one refresh") { stage, evidence in
    let user = try stage.user()
    let old = try await user.getIDToken()
    let before = stage.backend.calls(of: ExchangeRefreshToken.self)
    await stage.advance(by: 3500)

    // The answer is held back until everyone has asked, so that the requests do overlap.
    stage.backend.hold(ExchangeRefreshToken.self)
    let (asked, askers) = AsyncStream.makeStream(of: Void.self)
    let (answers, answerers) = AsyncStream.makeStream(of: Result<String, AuthError>.self)
    let begin = ContinuousClock.now
    for _ in 0..<threads {
      Thread.detachNewThread {
        user.getIDToken { answerers.yield($0) }
        askers.yield()
      }
    }
    for await _ in asked.prefix(threads) {}
    await stage.awaiting("a refresh call") { await stage.backend.waitUntilHeld(ExchangeRefreshToken.self) }
    _ = stage.auth.currentUser  // returns after all requests have had their turn
    stage.backend.release(ExchangeRefreshToken.self)

    var tokens: [String] = []
    try await stage.awaiting("\(threads) answers") {
      for await answer in answers.prefix(threads) { tokens.append(try answer.get()) }
    }
    let time = ContinuousClock.now - begin
    let refreshes = stage.backend.calls(of: ExchangeRefreshToken.self) - before
    evidence.expect("answers", tokens.count, is: threads)
    evidence.expect("different tokens", Set(tokens).count, is: 1)
    evidence.expect("the old token among them", tokens.contains(old), is: false)
    evidence.expect("refresh calls", refreshes, is: 1)
    evidence.note = "\(threads) threads, \(refreshes) refresh call, \(tokens.count) equal answers, \(time.short)"
  }
}
