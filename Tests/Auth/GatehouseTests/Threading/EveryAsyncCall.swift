import Gatehouse
import GatehouseBase
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
    await Self.refusal { _ = try await typed { try await auth.createUser(withEmail: "b", password: "c") } }
    note("createUser, refused")
    _ = try await user.getIDToken()
    note("getIDToken, at hand")
    _ = try await user.getIDToken(forcingRefresh: true)
    note("getIDToken, forced")
    backend.fail(.refresh, refused)
    await Self.refusal { _ = try await typed { try await user.getIDToken(forcingRefresh: true) } }
    note("getIDToken, refused")
    _ = try await user.getIDTokenResult()
    note("getIDTokenResult")
    try await user.reload()
    note("reload")
    backend.fail(.lookup, refused)
    await Self.refusal { try await typed { try await user.reload() } }
    note("reload, refused")
    let request = user.createProfileChangeRequest()
    request.displayName = "Ada"
    try await request.commitChanges()
    note("commitChanges")
    await Self.refusal { try await typed { try await request.commitChanges() } }
    note("commitChanges, refused")
    try await user.updatePassword(to: "another")
    note("updatePassword")
    backend.fail(.update, refused)
    await Self.refusal { try await typed { try await user.updatePassword(to: "a third") } }
    note("updatePassword, refused")
    try await codes(scene, user, note)
    try await factors(scene, user, note)
    try await sessions(scene, user, note)
    try await auth.flush()
    note("flush")
    _ = try await auth.signIn(with: EmailAuthProvider.credential(withEmail: Scene.email, password: "another"))
    note("signIn(with:)")
    _ = try await auth.signIn(withEmail: Scene.email, link: try await link(scene))
    note("signIn(withEmail:link:)")
    _ = try await auth.signIn(withCustomToken: "custom:ada")
    note("signIn(withCustomToken:)")
    await Self.refusal { _ = try await typed { try await auth.signIn(withCustomToken: "x") } }
    note("signIn(withCustomToken:), refused")
    let again = try await auth.signIn(withEmail: Scene.email, password: "another").user
    note("signIn")
    await Self.refusal { _ = try await typed { try await auth.signIn(withEmail: Scene.email, password: "wrong") } }
    note("signIn, refused")
    try await auth.updateCurrentUser(again)
    note("updateCurrentUser")
    try await again.delete()
    note("delete")
    await Self.refusal { try await typed { try await again.delete() } }
    note("delete, refused")
    try await auth.updateCurrentUser(nil)
    note("updateCurrentUser(nil)")
    let guest = try await auth.signInAnonymously().user
    note("signInAnonymously")
    let credential = EmailAuthProvider.credential(withEmail: "guest@example.com", password: Scene.password)
    _ = try await guest.link(with: credential)
    note("link")
    await Self.refusal { _ = try await typed { try await guest.link(with: credential) } }
    note("link, refused")
    _ = try await guest.link(with: OAuthProvider.credential(providerID: .google, idToken: "idp:guest"))
    note("link, with an identity")
    try await auth.signOutEverywhere()
    note("signOutEverywhere")
    await Self.refusal { try await typed { try await auth.signOutEverywhere() } }
    note("signOutEverywhere, refused")
    var changes = auth.authStateChanges.makeAsyncIterator()
    _ = await changes.next()
    note("authStateChanges")
    try await auth.close()
    note("close")
    await Self.refusal { _ = try await typed { try await auth.signInAnonymously() } }
    note("signInAnonymously, refused")
    return strayed
  }

  /// The calls about messages and credentials.
  private static func codes(
    _ scene: Scene, _ user: User, _ note: (String) -> Void
  ) async throws {
    let (auth, backend) = (scene.auth, scene.backend)
    try await auth.sendPasswordReset(withEmail: Scene.email)
    note("sendPasswordReset")
    await refusal { try await typed { try await auth.sendPasswordReset(withEmail: "x@example.com") } }
    note("sendPasswordReset, refused")
    let code = backend.messages.last?.code ?? ""
    _ = try await auth.verifyPasswordResetCode(code)
    note("verifyPasswordResetCode")
    _ = try await auth.checkActionCode(code)
    note("checkActionCode")
    _ = try await auth.fetchSignInMethods(forEmail: Scene.email)
    note("fetchSignInMethods")
    try await user.sendEmailVerification()
    note("sendEmailVerification")
    try await auth.applyActionCode(backend.messages.last?.code ?? "")
    note("applyActionCode")
    await refusal { try await typed { try await auth.applyActionCode("x") } }
    note("applyActionCode, refused")
    try await user.sendEmailVerification(beforeUpdatingEmail: "other@example.com")
    note("sendEmailVerification(beforeUpdatingEmail:)")
    let credential = EmailAuthProvider.credential(withEmail: Scene.email, password: "another")
    _ = try await user.reauthenticate(with: credential)
    note("reauthenticate")
    await refusal { _ = try await typed { try await user.unlink(fromProvider: "google.com") } }
    note("unlink, refused")
    try await user.updateEmail(to: "countess@example.com")
    note("updateEmail")
    try await user.updateEmail(to: Scene.email)
  }

  /// The calls about second factors and phones.
  private static func factors(
    _ scene: Scene, _ user: User, _ note: (String) -> Void
  ) async throws {
    let phones = PhoneAuthProvider.provider(auth: scene.auth)
    let session = try await user.multiFactor.session()
    note("session")
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    note("generateSecret")
    try await user.multiFactor.enroll(
      with: TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: "123456"))
    note("enroll")
    _ = try await user.multiFactor.generateRecoveryCodes()
    note("generateRecoveryCodes")
    let id = try await phones.verifyPhoneNumber("+12025550123", multiFactorSession: session)
    note("verifyPhoneNumber(_:multiFactorSession:)")
    let credential = phones.credential(withVerificationID: id, verificationCode: "123456")
    try await user.multiFactor.enroll(with: PhoneMultiFactorGenerator.assertion(with: credential))
    note("enroll, a phone")
    do {
      _ = try await scene.auth.signIn(withEmail: Scene.email, password: "another")
      preconditionFailure("a second factor was expected to be wanted")
    } catch {
      guard let resolver = scene.auth.multiFactorResolver(for: error) else { throw error }
      note("signIn, waiting")
      let sent = try await phones.verifyPhoneNumber(with: resolver.hints[1], multiFactorSession: resolver.session)
      note("verifyPhoneNumber(with:multiFactorSession:)")
      let code = phones.credential(withVerificationID: sent, verificationCode: "123456")
      let again = try await resolver.resolveSignIn(with: PhoneMultiFactorGenerator.assertion(with: code)).user
      note("resolveSignIn")
      for factor in again.multiFactor.enrolledFactors { try await again.multiFactor.unenroll(with: factor) }
      note("unenroll")
      await refusal { try await typed { try await again.multiFactor.unenroll(withFactorUID: "x") } }
      note("unenroll, refused")
      try await scene.auth.updateCurrentUser(again)
    }
  }

  /// The calls about sessions, phones and identities.
  private static func sessions(
    _ scene: Scene, _ former: User, _ note: (String) -> Void
  ) async throws {
    let (auth, phones) = (scene.auth, PhoneAuthProvider.provider(auth: scene.auth))
    guard let user = auth.currentUser else { preconditionFailure("a user is signed in") }
    _ = try await user.sessions()
    note("sessions")
    _ = try await auth.validatePassword("correct horse")
    note("validatePassword")
    try await auth.revokeToken(withAuthorizationCode: "code")
    note("revokeToken")
    let id = try await phones.verifyPhoneNumber("+12025550123")
    note("verifyPhoneNumber")
    await refusal { _ = try await typed { try await phones.verifyPhoneNumber("12025550123") } }
    note("verifyPhoneNumber, refused")
    try await user.updatePhoneNumber(phones.credential(withVerificationID: id, verificationCode: "123456"))
    note("updatePhoneNumber")
    _ = try await user.unlink(fromProvider: "phone")
    note("unlink")
    await refusal { _ = try await typed { try await former.sessions() } }
    note("sessions, refused")
    try await user.revokeSession("another")
    note("revokeSession")
  }

  private static func link(_ scene: Scene) async throws -> String {
    let settings = ActionCodeSettings()
    settings.handleCodeInApp = true
    try await scene.auth.sendSignInLink(toEmail: Scene.email, actionCodeSettings: settings)
    return "http://localhost/?mode=signIn&oobCode=\(scene.backend.messages.last?.code ?? "")"
  }

  /// A user's own helper with typed throws: it stays in its caller's isolation, and so must what it calls.
  private static func refusal(_ body: () async throws -> Void) async {
    do {
      try await body()
      preconditionFailure("the call was expected to be refused")
    } catch {}
  }
}
