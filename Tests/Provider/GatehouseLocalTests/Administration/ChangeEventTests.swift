import Gatehouse
import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// The events of a user's changes: those that were made, and no others.
struct ChangeEventTests {
  private let scene: Scene
  private let outbox: Outbox

  init() { (scene, outbox) = Scene.sending() }

  @Test func `a code with other changes beside it is recorded for what the code has done`() async throws {
    let user = try await scene.signUp()
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    var call = Update(oobCode: outbox.code)
    (call.idToken, call.email, call.password) = (user.idToken, "eve@example.com", Secret("known to eve"))
    call.deleteProvider = ["phone"]
    let answer = try await scene.backend.answer(call)
    #expect(answer.email == "ada@example.com" && answer.emailVerified == true)
    #expect(try await events() == ["emailVerified"])
  }

  @Test func `an update is recorded for what it has changed`() async throws {
    var idToken = try await scene.signUp().idToken
    _ = try await scene.update(idToken) {
      ($0.email, $0.deleteProvider, $0.displayName) = ("Ada@example.com", ["phone", "google.com"], "Ada")
    }
    #expect(try await events() == [])
    let changed = try await scene.update(idToken) {
      ($0.email, $0.password) = ("countess@example.com", Secret("battery staple"))
    }
    #expect(try await events() == ["passwordChanged", "emailChanged"])
    idToken = try #require(changed.idToken)
    _ = try await scene.update(idToken) { $0.deleteAttribute = [.password] }
    #expect(try await events().last == "signInMethodRemoved")
  }

  @Test func `a code that moves an account or takes the move back changes its address`() async throws {
    let user = try await scene.signUp()
    try await scene.send(.verifyAndChangeEmail) {
      $0.idToken = user.idToken
      $0.newEmail = "eve@example.com"
    }
    try await scene.apply(outbox.code)
    #expect(try await events() == ["emailChanged"])
    try await scene.apply(try await scene.notice(in: outbox).code)
    #expect(try await events() == ["emailChanged", "emailChanged", "signInMethodRemoved"])
  }

  @Test func `a code that takes a factor away is recorded as that`() async throws {
    let user = try await scene.signUp()
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    try await scene.apply(outbox.code)
    _ = try await scene.enroll(user.idToken)
    try await scene.apply(try await scene.message(.revertSecondFactorAddition, in: outbox).code)
    #expect(try await events() == ["emailVerified", "secondFactorEnrolled", "secondFactorWithdrawn"])
  }

  /// The names of all events. Before the first one there is no file.
  private func events() async throws -> [String] {
    await scene.backend.settle()
    return ((try? scene.events(in: "security")) ?? []).compactMap(\.name)
  }
}
