import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

struct DeletingTests {
  @Test func `a deleted account is gone, and its tokens say so`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    _ = try await scene.backend.answer(Delete(idToken: user.idToken))
    await expectRefusal("USER_NOT_FOUND") { try await scene.lookUp(user.idToken) }
    await expectRefusal("USER_NOT_FOUND") { try await scene.refresh(user.refreshToken) }
    await expectRefusal("USER_NOT_FOUND") { try await scene.update(user.idToken) { $0.displayName = "Ada" } }
    await expectRefusal("USER_NOT_FOUND") { try await scene.backend.answer(Delete(idToken: user.idToken)) }
    await expectRefusal("EMAIL_NOT_FOUND") { try await scene.signIn() }
  }

  @Test func `a deleted account's address can be used again, by another account`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    _ = try await scene.backend.answer(Delete(idToken: user.idToken))
    let again = try await scene.signUp()
    #expect(again.localId != user.localId)
    await expectRefusal("USER_NOT_FOUND") { try await scene.refresh(user.refreshToken) }
  }

  @Test func `deleting wants a token of ours`() async {
    let scene = Scene()
    await expectRefusal("INVALID_ID_TOKEN") { try await scene.backend.answer(Delete(idToken: Secret("a.b.c"))) }
  }
}
