import Gatehouse
import GatehouseQueues
import GatehouseTesting

/// Every public asynchronous call, accepted and refused, made from where the caller runs.
enum EveryAsyncCall {
  /// Makes each call once, in the caller's isolation, and asks `isAtHome` after each: the caller must be where it was.
  ///
  /// - Returns: the calls after which the caller was elsewhere.
  static func run(_ isAtHome: () -> Bool) async throws -> [String] {
    let scene = Scene()
    let (auth, backend) = (scene.auth, scene.backend)
    let refused = AuthError(.networkError, "no route")
    var strayed: [String] = []
    func note(_ call: String) { if !isAtHome() { strayed.append(call) } }

    try await auth.ready()
    note("ready")
    let user = try await auth.createUser(withEmail: Scene.email, password: Scene.password).user
    note("createUser")
    backend.fail(.signUp, refused)
    await Self.refusal { () throws(AuthError) in _ = try await auth.createUser(withEmail: "b", password: "c") }
    note("createUser, refused")
    _ = try await user.getIDToken()
    note("getIDToken, at hand")
    _ = try await user.getIDToken(forcingRefresh: true)
    note("getIDToken, forced")
    backend.fail(.refresh, refused)
    await Self.refusal { () throws(AuthError) in _ = try await user.getIDToken(forcingRefresh: true) }
    note("getIDToken, refused")
    _ = try await user.getIDTokenResult()
    note("getIDTokenResult")
    try await user.reload()
    note("reload")
    backend.fail(.lookup, refused)
    await Self.refusal { () throws(AuthError) in try await user.reload() }
    note("reload, refused")
    let request = user.createProfileChangeRequest()
    request.displayName = "Ada"
    try await request.commitChanges()
    note("commitChanges")
    await Self.refusal { () throws(AuthError) in try await request.commitChanges() }
    note("commitChanges, refused")
    try await user.updatePassword(to: "another")
    note("updatePassword")
    backend.fail(.update, refused)
    await Self.refusal { () throws(AuthError) in try await user.updatePassword(to: "a third") }
    note("updatePassword, refused")
    try await auth.flush()
    note("flush")
    let again = try await auth.signIn(withEmail: Scene.email, password: "another").user
    note("signIn")
    await Self.refusal { () throws(AuthError) in _ = try await auth.signIn(withEmail: Scene.email, password: "wrong") }
    note("signIn, refused")
    try await auth.updateCurrentUser(again)
    note("updateCurrentUser")
    try await again.delete()
    note("delete")
    await Self.refusal { () throws(AuthError) in try await again.delete() }
    note("delete, refused")
    try await auth.updateCurrentUser(nil)
    note("updateCurrentUser(nil)")
    let guest = try await auth.signInAnonymously().user
    note("signInAnonymously")
    let credential = EmailAuthProvider.credential(withEmail: "guest@example.com", password: Scene.password)
    _ = try await guest.link(with: credential)
    note("link")
    await Self.refusal { () throws(AuthError) in _ = try await guest.link(with: credential) }
    note("link, refused")
    var changes = auth.authStateChanges.makeAsyncIterator()
    _ = await changes.next()
    note("authStateChanges")
    try await auth.close()
    note("close")
    await Self.refusal { () throws(AuthError) in _ = try await auth.signInAnonymously() }
    note("signInAnonymously, refused")
    return strayed
  }

  /// A user's own helper with typed throws: it stays in its caller's isolation, and so must what it calls.
  private static func refusal(_ body: () async throws(AuthError) -> Void) async {
    do throws(AuthError) {
      try await body()
      preconditionFailure("the call was expected to be refused")
    } catch {}
  }
}
