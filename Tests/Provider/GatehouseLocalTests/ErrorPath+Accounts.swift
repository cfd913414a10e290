import Gatehouse
import GatehouseBase
import GatehouseLocal
import GatehouseTesting

extension ErrorPath {
  static let signIns: [ErrorPath] = [
    ErrorPath(.invalidCustomToken) { _ = try await Scene().auth.signIn(withCustomToken: "nonsense") },
    ErrorPath(.customTokenMismatch) {
      let scene = Scene()
      let other = scene.another { $0.projectID = "other" }
      _ = try await scene.auth.signIn(withCustomToken: try await other.customToken(forUser: "ada"))
    },
    ErrorPath(.tenantIDMismatch) {
      let scene = Scene()
      _ = try await scene.auth.signIn(
        withCustomToken: try await scene.backend.customToken(forUser: "ada", tenantID: "shop"))
    },
    ErrorPath(.invalidCredential, Parts(email: email)) {
      _ = try await Scene { $0.enumerationProtection = true }.auth.signIn(withEmail: email, password: password)
    },
    ErrorPath(.userDisabled, Parts(email: email)) {
      let scene = Scene()
      let (auth, user) = try await scene.ada()
      try await scene.backend.setDisabled(uid: user.uid, true)
      _ = try await auth.signIn(withEmail: email, password: password)
    },
    ErrorPath(.operationNotAllowed) { try await Scene().auth.sendPasswordReset(withEmail: email) },
    ErrorPath(.emailAlreadyInUse, Parts(email: email)) {
      let scene = Scene()
      _ = try await scene.ada()
      _ = try await scene.auth.createUser(withEmail: email, password: password)
    },
    ErrorPath(.invalidEmail, Parts(email: "ada")) {
      _ = try await Scene().auth.createUser(withEmail: "ada", password: password)
    },
    ErrorPath(.missingEmail) { _ = try await Scene().auth.createUser(withEmail: "", password: password) },
    ErrorPath(.wrongPassword, Parts(email: email)) {
      _ = try await Scene().ada().auth.signIn(withEmail: email, password: "wrong horse")
    },
    ErrorPath(.tooManyRequests, Parts(email: email, waits: true)) {
      let (auth, _) = try await Scene { $0.throttle.attempts = 1 }.ada()
      _ = try? await auth.signIn(withEmail: email, password: "wrong horse")
      _ = try await auth.signIn(withEmail: email, password: password)
    },
    ErrorPath(.userNotFound, Parts(email: email)) {
      _ = try await Scene().auth.signIn(withEmail: email, password: password)
    },
    ErrorPath(.weakPassword) { _ = try await Scene().auth.createUser(withEmail: email, password: "short") },
    ErrorPath(.passwordDoesNotMeetRequirements) {
      let auth = Scene { $0.passwordRequirements.needsDigit = true }.auth
      _ = try await auth.createUser(withEmail: email, password: password)
    },
  ]

  static let sessions: [ErrorPath] = [
    ErrorPath(.requiresRecentLogin) {
      let scene = Scene()
      let user = try await scene.ada().user
      scene.clock.advance(by: 600)
      try await user.updatePassword(to: "another horse")
    },
    ErrorPath(.providerAlreadyLinked) {
      let user = try await Scene().ada().user
      _ = try await user.link(with: EmailAuthProvider.credential(withEmail: "b@example.com", password: password))
    },
    ErrorPath(.noSuchProvider) { _ = try await Scene().ada().user.unlink(fromProvider: "google.com") },
    ErrorPath(.invalidUserToken) {
      // The session of another provider's user.
      let store = MemoryCredentialStore()
      let (scene, other) = (Scene(), Scene())
      let first = Auth(.init(backend: scene.backend, store: store, clocks: scene.clock))
      _ = try await first.signInAnonymously()
      try await first.flush()
      let second = Auth(.init(backend: other.backend, store: store, clocks: other.clock))
      try await second.ready()
      _ = try await second.currentUser?.getIDToken(forcingRefresh: true)
    },
    ErrorPath(.userTokenExpired) {
      let scene = Scene()
      let user = try await scene.ada().user
      try await scene.backend.revoke(uid: user.uid)
      _ = try await user.getIDToken(forcingRefresh: true)
    },
    ErrorPath(.userMismatch) {
      let scene = Scene()
      let user = try await scene.ada().user
      try await scene.signUp("b@example.com", password)
      let other = EmailAuthProvider.credential(withEmail: "b@example.com", password: password)
      _ = try await user.reauthenticate(with: other)
    },
    ErrorPath(.nullUser) {
      let (auth, user) = try await Scene().ada()
      try auth.signOut()
      _ = try await user.getIDToken()
    },
    ErrorPath(.emailChangeNeedsVerification) {
      let scene = Scene { $0.enumerationProtection = true }
      try await scene.ada().user.updateEmail(to: "b@example.com")
    },
  ]

  static let failures: [ErrorPath] = [
    ErrorPath(.storeFailed) {
      // A file's name has 255 bytes at most, and the file that replaces it has a longer one.
      let scene = Scene()
      let name = String(repeating: "n", count: 250)
      let auth = Auth(
        .init(backend: scene.backend, store: .file("\(scene.folder.path)/\(name)"), clocks: scene.clock))
      _ = try await auth.signInAnonymously()
    },
    ErrorPath(.internalError) {
      let scene = Scene()
      let (auth, _) = try await scene.ada()
      try scene.refusingRows(of: "refreshToken")
      _ = try await auth.signIn(withEmail: email, password: password)
    },
  ]
}
