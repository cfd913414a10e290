import Gatehouse
import GatehouseSystem

extension TourStop {
  static let signUp = TourStop("A sign-up makes an account, and a session for its owner only") { stage, evidence in
    let begin = ContinuousClock.now
    let result = try await stage.auth.createUser(withEmail: "ada@example.com", password: "correct horse battery")
    let time = ContinuousClock.now - begin

    let stored = try await stage.store.load()
    let mode = try OpenFile(stage.store.path).status().mode
    evidence.expect("a new user", result.additionalUserInfo?.isNewUser == true, is: true)
    evidence.expect("the signed-in user", stage.auth.currentUser?.email, is: "ada@example.com")
    evidence.expect("the stored user", stored?.profile.uid, is: result.user.uid)
    evidence.expect("the file's mode", String(mode, radix: 8), is: "600")
    evidence.note = "\(result.user.uid) signed in after \(time.short), session file mode \(String(mode, radix: 8))"
  }
}
