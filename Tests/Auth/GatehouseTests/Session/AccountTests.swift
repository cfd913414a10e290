import Foundation
import Gatehouse
import GatehouseTesting
import IdentityToolkit
import TestSupport
import Testing

struct AccountTests {
  @Test func `two profile changes at once lose nothing`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.hold(.update)
    let name = user.createProfileChangeRequest()
    name.displayName = "Ada"
    let picture = user.createProfileChangeRequest()
    picture.photoURL = URL(string: "https://example.com/ada.png")
    let first = Delivery { name.commitChanges(completion: $0) }
    let second = Delivery { picture.commitChanges(completion: $0) }
    await scene.backend.waitForCall(.update)
    #expect(scene.backend.count(of: .update) == 1, "the second change begins when the first has ended")
    scene.backend.release(.update)
    try await first.value
    try await second.value
    #expect(user.displayName == "Ada")
    #expect(user.photoURL?.absoluteString == "https://example.com/ada.png")
    #expect(scene.backend.account(user.uid)?.displayName == "Ada")
  }

  @Test func `a store with a form of its own gives back the dates of a profile`() {
    var profile = UserProfile(uid: "u"), read = UserProfile(uid: "u")
    profile.creationDate = Date(timeIntervalSince1970: 1_700_000_000.5)
    profile.lastSignInDate = Date(timeIntervalSince1970: 1_800_000_000)
    (read.creationDate, read.lastSignInDate) = (profile.creationDate, profile.lastSignInDate)
    #expect(read == profile && read.creationDate == Date(timeIntervalSince1970: 1_700_000_000.5))
  }

  @Test func `what a change request sets can be read back at once`() async throws {
    let (_, user) = try await Scene.signedIn()
    let request = user.createProfileChangeRequest()
    #expect(request.displayName == nil)
    request.displayName = "Ada"
    #expect(request.displayName == "Ada")
    #expect(user.displayName == nil)
  }

  @Test func `a name is removed by setting nil, and left alone by setting nothing`() async throws {
    let (_, user) = try await Scene.signedIn()
    let set = user.createProfileChangeRequest()
    set.displayName = "Ada"
    try await set.commitChanges()
    let other = user.createProfileChangeRequest()
    other.photoURL = URL(string: "p")
    try await other.commitChanges()
    #expect(user.displayName == "Ada")
    let remove = user.createProfileChangeRequest()
    remove.displayName = nil
    try await remove.commitChanges()
    #expect(user.displayName == nil && user.profile.photoURL == "p")
  }

  @Test func `a change request is committed once`() async throws {
    let (_, user) = try await Scene.signedIn()
    let request = user.createProfileChangeRequest()
    request.displayName = "Ada"
    try await request.commitChanges()
    let error = await #expect(throws: AuthError.self) { try await request.commitChanges() }
    #expect(error?.code == .invalidArgument)
  }

  @Test func `a new password brings new tokens and the session goes on`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let before = user.refreshToken
    try await user.updatePassword(to: "battery staple")
    #expect(user.refreshToken != before)
    #expect(try await user.getIDToken(forcingRefresh: true).isEmpty == false)
    let error = await #expect(throws: AuthError.self) {
      try await scene.auth.signIn(withEmail: Scene.email, password: Scene.password)
    }
    #expect(error?.code == .wrongPassword)
  }

  @Test func `a password change and a refresh take turns`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.hold(.refresh)
    scene.backend.hold(.update)
    let before = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    await scene.backend.waitForCall(.refresh)
    let change = Delivery { user.updatePassword(to: "battery staple", completion: $0) }
    try await scene.auth.flush()
    #expect(scene.backend.count(of: .update) == 0, "the refresh has its turn")
    scene.backend.release(.refresh)
    _ = try await before.value
    await scene.backend.waitForCall(.update)
    let during = Delivery { user.getIDToken(forcingRefresh: true, completion: $0) }
    try await scene.auth.flush()
    #expect(scene.backend.count(of: .refresh) == 1, "the change has its turn")
    scene.backend.release(.update)
    try await change.value
    #expect(try await during.value.isEmpty == false)
    #expect(scene.auth.currentUser == user)
  }

  @Test func `a password change that nobody waits for any more keeps its tokens`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.hold(.update)
    let change = Task { try await user.updatePassword(to: "battery staple") }
    await scene.backend.waitForCall(.update)
    change.cancel()
    let error = await #expect(throws: AuthError.self) { try await change.value }
    #expect(error?.code == .cancelled)
    scene.backend.release(.update)
    try await user.reload()  // in turn behind the change
    #expect(try await user.getIDToken(forcingRefresh: true).isEmpty == false)
  }

  @Test func `a change that nobody waits for any more before it could be sent is not sent`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.hold(.lookup)
    let reload = Delivery { user.reload(completion: $0) }
    await scene.backend.waitForCall(.lookup, count: 2)
    let delete = Task { try await user.delete() }
    let password = Task {
      while !Task.isCancelled { await Task.yield() }
      try await user.updatePassword(to: "battery staple")
    }
    password.cancel()
    await #expect(throws: AuthError.self) { try await password.value }
    delete.cancel()
    await #expect(throws: AuthError.self) { try await delete.value }
    scene.backend.release(.lookup)
    try await reload.value
    try await user.reload()
    #expect(scene.backend.count(of: .delete) == 0 && scene.backend.count(of: .update) == 0)
    #expect(scene.auth.currentUser == user)
  }

  @Test func `deleting the account ends the session`() async throws {
    let (scene, user) = try await Scene.signedIn()
    try await user.delete()
    #expect(scene.auth.currentUser == nil)
    #expect(scene.backend.account(user.uid) == nil)
    try await scene.auth.flush()
    #expect(try await scene.store.load() == nil)
    let error = await #expect(throws: AuthError.self) { try await user.getIDToken() }
    #expect(error?.code == .nullUser)
  }

  @Test func `a change that arrives after sign-out is dropped`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.hold(.update)
    let change = Delivery { user.updatePassword(to: "battery staple", completion: $0) }
    await scene.backend.waitForCall(.update)
    try scene.auth.signOut()
    scene.backend.release(.update)
    let error = await #expect(throws: AuthError.self) { try await change.value }
    #expect(error?.code == .nullUser)
    try await scene.auth.flush()
    #expect(try await scene.store.load() == nil)
  }

  @Test func `a token that cannot be had fails the link, and nothing is sent`() async throws {
    let scene = Scene()
    let user = try await scene.auth.signInAnonymously().user
    scene.clocks.advance(by: 3_700)
    scene.backend.fail(.refresh, AuthError(.networkError, "no route"))
    let error = await #expect(throws: AuthError.self) {
      try await user.link(with: EmailAuthProvider.credential(withEmail: "b@example.com", password: "secret"))
    }
    #expect(error?.code == .networkError)
    #expect(scene.backend.count(of: .signUp) == 1, "only the anonymous sign-up")
  }

  @Test func `a disabled user is told so by a reload, and the session ends`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.fail(.lookup, AuthError(server: "USER_DISABLED"))
    let error = await #expect(throws: AuthError.self) { try await user.reload() }
    #expect(error?.code == .userDisabled)
    #expect(scene.auth.currentUser == nil)
  }

  @Test func `a user of another Auth becomes the current one`() async throws {
    let (first, ada) = try await Scene.signedIn()
    let second = Scene(backend: first.backend)
    try await second.auth.updateCurrentUser(ada)
    #expect(second.auth.currentUser?.uid == ada.uid)
    #expect(second.auth.currentUser != ada)
    #expect(first.auth.currentUser == ada)
    try first.auth.signOut()
    let error = await #expect(throws: AuthError.self) {
      try await Scene(backend: first.backend).auth.updateCurrentUser(ada)
    }
    #expect(error?.code == .nullUser)
    try await second.auth.updateCurrentUser(nil)
    #expect(second.auth.currentUser == nil)
  }

  @Test func `the properties of a signed-out user tell what was known last`() async throws {
    let (scene, user) = try await Scene.signedIn()
    try scene.auth.signOut()
    #expect(user.email == Scene.email && user.refreshToken == nil)
    #expect(user.providerData.map(\.providerID) == ["password"])
    #expect(user.metadata.creationDate == Date(timeIntervalSince1970: 1_800_000_000))
  }

  @Test func `a new password is told when the store has the tokens that came with it`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.onCall { kind in
      if kind == .update { scene.store.hold(.write) }
    }
    let change = Delivery { user.updatePassword(to: "battery staple", completion: $0) }
    await scene.store.waitUntilHeld(.write)
    for _ in 0..<200 {
      await Task.yield()
      _ = scene.auth.state
    }
    #expect(change.count == 0, "the only good refresh token is not stored yet")
    scene.store.release(.write)
    try await change.value
    #expect(try await scene.store.load()?.tokens.refreshToken.revealed == user.refreshToken)
  }

  @Test func `a new password whose tokens cannot be stored is told all the same, and flush stores them`() async throws {
    let (scene, user) = try await Scene.signedIn()
    scene.backend.onCall { kind in
      if kind == .update { scene.store.fail(.write, with: AuthError(.storeFailed, "the disk is full")) }
    }
    try await user.updatePassword(to: "battery staple")
    #expect(try await scene.store.load()?.tokens.refreshToken.revealed != user.refreshToken)
    try await scene.auth.flush()
    #expect(try await scene.store.load()?.tokens.refreshToken.revealed == user.refreshToken)
  }
}
