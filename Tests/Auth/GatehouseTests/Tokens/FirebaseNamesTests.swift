import Gatehouse
import GatehouseTesting
import TestSupport
import Testing

/// Code that was written for Firebase finds its names.
struct FirebaseNamesTests {
  @Test func `a token is had by Firebase's names too`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let token = try await user.getIDToken()
    #expect(try await user.idTokenForcingRefresh(false) == token)
    #expect(try await user.idTokenForcingRefresh(true) != token)
    let delivered = Delivery { user.getIDTokenForcingRefresh(true, completion: $0) }
    #expect(try await delivered.value.isEmpty == false)
    #expect(scene.backend.count(of: .refresh) == 2)
  }

  @Test func `a code is had by Firebase's name too`() async throws {
    let scene = Scene()
    let error = await #expect(throws: AuthError.self) {
      try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password)
    }
    #expect(error?.code == AuthErrorCode.userNotFound)
    #expect(AuthErrorCode(rawValue: 17011) == .userNotFound)
  }

  @Test func `handles of listeners are kept in sets`() throws {
    let scene = Scene()
    let state: AuthStateDidChangeListenerHandle = scene.auth.addStateDidChangeListener { _, _ in }
    let token: IDTokenDidChangeListenerHandle = scene.auth.addIDTokenDidChangeListener { _, _ in }
    var handles: Set = [state, token, state]
    #expect(handles.count == 2 && state != token)
    handles.remove(state)
    #expect(handles == [token])
  }
}
