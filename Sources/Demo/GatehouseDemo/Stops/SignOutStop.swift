import Gatehouse
import GatehouseSystem
import IdentityToolkit

extension TourStop {
  static let signOutWins = TourStop("A sign-out beats a refresh in flight") { stage, evidence in
    let user = try stage.user()
    stage.backend.hold(ExchangeRefreshToken.self)
    let refresh = Task { try await user.getIDToken(forcingRefresh: true) }
    await stage.awaiting("a refresh call") { await stage.backend.waitUntilHeld(ExchangeRefreshToken.self) }

    let begin = ContinuousClock.now
    try stage.auth.signOut()
    let time = ContinuousClock.now - begin
    evidence.expect("the user at once", stage.auth.currentUser?.uid, is: nil)
    stage.backend.release(ExchangeRefreshToken.self)
    let outcome = await refresh.result
    try await stage.auth.flush()

    let stored = try await stage.store.load()
    let files = try OpenFolder(stage.folder).names().filter { $0 == "session.json" }
    evidence.expect("a token from the refresh", (try? outcome.get()) != nil, is: false)
    evidence.expect("the user in the end", stage.auth.currentUser?.uid, is: nil)
    evidence.expect("what is stored", stored?.profile.uid, is: nil)
    evidence.expect("session files", files.count, is: 0)
    evidence.note = "signed out in \(time.short); the refresh's answer was dropped, \(files.count) session files left"
  }
}
