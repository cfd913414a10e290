import Foundation
import GRDB
import Gatehouse
import GatehouseBase
import GatehouseLocal

extension ErrorPath {
  static let identities: [ErrorPath] = [
    ErrorPath(.accountExistsWithDifferentCredential, Parts(email: email, credential: "oidc.example")) {
      let scene = try IdentityScene()
      try await scene.scene.signUp()
      _ = try await scene.scene.auth.signIn(with: scene.proof(["email": .string(email), "email_verified": true]))
    },
    ErrorPath(.credentialAlreadyInUse, Parts(credential: "oidc.example")) {
      let scene = try IdentityScene()
      let auth = scene.scene.auth
      _ = try await auth.signIn(with: scene.proof())
      _ = try await scene.scene.auth.signInAnonymously().user.link(with: scene.proof())
    },
    ErrorPath(.invalidProviderID) {
      _ = try await Scene().auth.signIn(with: OAuthProvider.credential(providerID: .google, accessToken: "x"))
    },
    ErrorPath(.missingOrInvalidNonce) {
      let scene = try IdentityScene()
      let token = try scene.idToken("u1", ["nonce": "other"])
      let credential = OAuthProvider.credential(withProviderID: "oidc.example", idToken: token, rawNonce: "mine")
      _ = try await scene.scene.auth.signIn(with: credential)
    },
    ErrorPath(.networkError) {
      // GitHub's server does not answer.
      let scene = try IdentityScene()
      _ = try await scene.scene.auth.signIn(with: GitHubAuthProvider.credential(withToken: "x"))
    },
  ]

  static let messages: [ErrorPath] = [
    ErrorPath(.expiredActionCode) {
      let (scene, outbox) = Scene.sending()
      let (auth, user) = try await scene.ada()
      try await user.sendEmailVerification()
      scene.clock.advance(by: 4 * 86400)
      try await auth.applyActionCode(outbox.code.revealed)
    },
    ErrorPath(.invalidActionCode) { try await Scene().auth.applyActionCode("nonsense") },
    ErrorPath(.invalidSender) {
      let folder = TemporaryFolder()
      let scene = Scene { $0.delivery = FileDelivery(folder: folder.home, from: "a\nb") }
      try await scene.ada().user.sendEmailVerification()
    },
    ErrorPath(.invalidRecipientEmail) {
      let folder = TemporaryFolder()
      let scene = Scene { $0.delivery = FileDelivery(folder: folder.home) }
      let auth = scene.auth
      _ = try await auth.createUser(withEmail: "ada@[192.0.2.1]", password: password)
      try await auth.sendPasswordReset(withEmail: "ada@[192.0.2.1]")
    },
    ErrorPath(.unauthorizedDomain) { try await sendPasswordReset { $0.url = URL(string: "https://evil.example") } },
    ErrorPath(.invalidContinueURI) { try await sendPasswordReset { $0.url = URL(string: "mailto:ada") } },
    ErrorPath(.invalidHostingLinkDomain) {
      try await sendPasswordReset {
        $0.url = URL(string: "http://localhost/app")
        $0.linkDomain = "evil.example"
      }
    },
    ErrorPath(.missingContinueURI) {
      let settings = ActionCodeSettings()
      settings.handleCodeInApp = true
      try await Scene.sending().scene.auth.sendSignInLink(toEmail: email, actionCodeSettings: settings)
    },
  ]

  private static func sendPasswordReset(_ set: (ActionCodeSettings) -> Void) async throws {
    let settings = ActionCodeSettings()
    set(settings)
    let auth = try await Scene.sending().scene.ada().auth
    try await auth.sendPasswordReset(withEmail: email, actionCodeSettings: settings)
  }

  static let phones: [ErrorPath] = [
    ErrorPath(.missingPhoneNumber) { _ = try await PhoneScene().phones.verifyPhoneNumber("") },
    ErrorPath(.invalidPhoneNumber) { _ = try await PhoneScene().phones.verifyPhoneNumber("12") },
    ErrorPath(.missingVerificationCode) { try await signIn { _ in "" } },
    ErrorPath(.invalidVerificationCode) { try await signIn { PhoneScene.wrong($0).revealed } },
    ErrorPath(.missingVerificationID) { try await signIn(id: "") },
    ErrorPath(.invalidVerificationID) { try await signIn(id: "nonsense") },
    ErrorPath(.sessionExpired) { try await signIn(after: 86400) },
  ]

  /// Has a code sent to a phone, and signs in.
  private static func signIn(
    id: String? = nil, after seconds: Double = 0, _ code: (Secret) -> String = { $0.revealed }
  ) async throws {
    let phone = PhoneScene()
    let auth = phone.scene.auth
    let phones = PhoneAuthProvider.provider(auth: auth)
    let sent = try await phones.verifyPhoneNumber(PhoneScene.number)
    phone.scene.clock.advance(by: seconds)
    let credential = phones.credential(withVerificationID: id ?? sent, verificationCode: code(phone.pager.code))
    _ = try await auth.signIn(with: credential)
  }

  static let secondFactors: [ErrorPath] = [
    ErrorPath(.secondFactorRequired, Parts(isPending: true)) {
      let scene = try await SecondFactorScene()
      try await scene.enroll()
      _ = try await scene.auth.signIn(withEmail: email, password: password)
    },
    ErrorPath(.missingMultiFactorSession) { try await resolve(pending: "") },
    ErrorPath(.invalidMultiFactorSession) { try await resolve(pending: "nonsense") },
    ErrorPath(.missingMultiFactorInfo) {
      try await SecondFactorScene().user.multiFactor.unenroll(withFactorUID: "")
    },
    ErrorPath(.multiFactorInfoNotFound) { try await resolve(factor: "nonsense") },
    ErrorPath(.unverifiedEmail) {
      let user = try await Scene().ada().user
      _ = try await TOTPMultiFactorGenerator.generateSecret(with: try await user.multiFactor.session())
    },
    ErrorPath(.unsupportedFirstFactor) {
      let user = try await Scene().auth.signInAnonymously().user
      _ = try await TOTPMultiFactorGenerator.generateSecret(with: try await user.multiFactor.session())
    },
    ErrorPath(.secondFactorAlreadyEnrolled) {
      let pager = Pager()
      let scene = try await SecondFactorScene { $0.textDelivery = pager }
      let phones = PhoneAuthProvider.provider(auth: scene.auth)
      for _ in 1...2 {
        let session = try await scene.user.multiFactor.session()
        let id = try await phones.verifyPhoneNumber(PhoneScene.number, multiFactorSession: session)
        let credential = phones.credential(withVerificationID: id, verificationCode: pager.code.revealed)
        try await scene.user.multiFactor.enroll(
          with: PhoneMultiFactorGenerator.assertion(with: credential), displayName: "mobile")
      }
    },
    ErrorPath(.maximumSecondFactorCountExceeded) {
      let scene = try await SecondFactorScene()
      for number in 1...6 { try await scene.enroll("app \(number)") }
    },
  ]

  /// Ends a sign-in that waits with a code of an authenticator app.
  ///
  /// - Parameters:
  ///   - pending: what names the sign-in, unless it is the right one.
  ///   - factor: what names the app, unless it is the right one.
  private static func resolve(pending: String? = nil, factor: String? = nil) async throws {
    let scene = try await SecondFactorScene()
    let (secret, app) = try await scene.enroll()
    var resolver = try await scene.resolver()
    if let pending {
      let other = AuthError.secondFactorRequired(PendingSignIn(credential: Secret(pending), factors: []))
      resolver = scene.auth.multiFactorResolver(for: other) ?? resolver
    }
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: factor ?? app.uid, oneTimePassword: try scene.password(secret))
    _ = try await resolver.resolveSignIn(with: assertion)
  }
}

extension IdentityScene {
  /// A credential for the client, of an ID token.
  fileprivate func proof(_ claims: JSONObject = JSONObject()) throws -> AuthCredential {
    OAuthProvider.credential(withProviderID: "oidc.example", idToken: try idToken("u1", claims))
  }
}

extension PhoneScene {
  fileprivate var phones: PhoneAuthProvider { PhoneAuthProvider.provider(auth: scene.auth) }
}

extension Scene {
  /// The name and the PEM of the provider's key.
  func privateKey() throws -> (keyID: String, pem: Secret) {
    let keys = folder.home + "/keys"
    let name = try FileManager.default.contentsOfDirectory(atPath: keys)[0]
    return (String(name.dropLast(4)), Secret(try String(contentsOfFile: "\(keys)/\(name)", encoding: .utf8)))
  }

  /// Has the database refuse every new row of a table.
  func refusingRows(of table: String) throws {
    let trigger = "CREATE TRIGGER refusing BEFORE INSERT ON \(table) BEGIN SELECT RAISE(ABORT, 'refused'); END"
    try DatabaseQueue(path: folder.home + "/accounts.sqlite").write { try $0.execute(sql: trigger) }
  }
}
