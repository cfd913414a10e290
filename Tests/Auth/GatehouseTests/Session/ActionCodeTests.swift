import Dispatch
import Foundation
import Gatehouse
import GatehouseTesting
import IdentityToolkit
import TestSupport
import Testing

struct ActionCodeTests {
  // MARK: Links

  @Test(arguments: [
    "https://app.example.com/a?mode=signIn&oobCode=C%2Fd&apiKey=K&continueUrl=https%3A%2F%2Fx.org%2F%3Fa%3D1%26b"
      + "&lang=de",
    "https://x.page.link/?link=https%3A%2F%2Fapp.example.com%2F%3Fmode%3DsignIn%26oobCode%3DC%252Fd%26apiKey%3DK%26"
      + "continueUrl%3Dhttps%253A%252F%252Fx.org%252F%253Fa%253D1%2526b%26lang%3Dde",
  ])
  func `a link is read, also inside another one`(link: String) throws {
    let url = try #require(ActionCodeURL(link: link))
    #expect(url.operation == .emailLink)
    #expect(url.code == "C/d")
    #expect(url.apiKey == "K")
    #expect(url.continueURL?.absoluteString == "https://x.org/?a=1&b")
    #expect(url.languageCode == "de")
    #expect(!"\(url)".contains("C/d"))
    var dumped = ""
    dump(url, to: &dumped)
    #expect(!dumped.contains("C/d"))
  }

  @Test func `a link whose query has come into the fragment is read`() {
    for link in [
      "http://localhost:5000/#/authentication?mode=signIn&oobCode=C/d&apiKey=K",
      "http://localhost:5000/?a=1#/sign-in?mode=signIn&oobCode=C/d&apiKey=K",
      "http://localhost:5000/?mode=signIn&oobCode=C/d&apiKey=K#/authentication?oobCode=other",
    ] {
      let url = ActionCodeURL(link: link)
      #expect(url?.operation == .emailLink && url?.code == "C/d" && url?.apiKey == "K", "\(link)")
    }
    #expect(ActionCodeURL(link: "http://localhost/?a=1#/sign-in")?.code == nil)
  }

  @Test func `what is no link of a message has no code, or is nil`() {
    for link in ["", "x", "https://app.example.com/", "https://app.example.com/?", "?%zz", "\u{0}"] {
      #expect(ActionCodeURL(link: link)?.code == nil)
    }
    #expect(ActionCodeURL(link: "https://a/?mode=else&oobCode=c")?.operation == .unknown)
    #expect(ActionCodeURL(link: "https://a/?mode=signIn&oobCode=")?.code == nil)
    // Wrapped in itself, deeper than any real link.
    var nested = "https://a/?mode=signIn&oobCode=c"
    for _ in 0..<6 {
      nested = "https://a/?link=" + (nested.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
    }
    #expect(ActionCodeURL(link: nested)?.code == nil)
  }

  @Test func `a sign-in link is told from others`() {
    let auth = Scene().auth
    #expect(auth.isSignIn(withEmailLink: "https://a/?mode=signIn&oobCode=c"))
    #expect(!auth.isSignIn(withEmailLink: "https://a/?mode=resetPassword&oobCode=c"))
    #expect(!auth.isSignIn(withEmailLink: "https://a/?mode=signIn"))
  }

  // MARK: Messages

  @Test func `a message carries its settings and the language`() async throws {
    let scene = Scene()
    let settings = ActionCodeSettings()
    settings.url = URL(string: "https://localhost/in?a=b")
    settings.handleCodeInApp = true
    settings.iOSBundleID = "org.example.app"
    settings.linkDomain = "localhost"
    settings.setAndroidPackageName("org.example", installIfNotAvailable: true, minimumVersion: "12")
    scene.auth.languageCode = "pt-BR"
    try await scene.auth.sendSignInLink(toEmail: Scene.email, actionCodeSettings: settings)
    let call = try #require(scene.backend.messages.first?.call)
    #expect(call.requestType == .emailSignIn)
    #expect(call.email == Scene.email)
    #expect(call.continueUrl == "https://localhost/in?a=b")
    #expect(call.canHandleCodeInApp == true)
    #expect(call.iOSBundleId == "org.example.app")
    #expect(call.androidPackageName == "org.example")
    #expect(call.androidInstallApp == true)
    #expect(call.androidMinimumVersion == "12")
    #expect(call.linkDomain == "localhost")
    #expect(call.locale == "pt-BR")
    let body = String(decoding: try JSONEncoder().encode(call), as: UTF8.self)
    #expect(!body.contains("pt-BR"))
  }

  @Test func `a sign-in link is for an app`() async throws {
    let scene = Scene()
    await #expect(throws: AuthError.self) {
      try await scene.auth.sendSignInLink(toEmail: Scene.email, actionCodeSettings: ActionCodeSettings())
    }
    let delivery = Delivery { completion in
      scene.auth.sendSignInLink(
        toEmail: Scene.email, actionCodeSettings: ActionCodeSettings(), completion: completion)
    }
    guard case .failure(let error) = await delivery.result else {
      Issue.record("the call was expected to be refused")
      return
    }
    #expect(error.code == .invalidArgument)
    #expect(scene.backend.calls.isEmpty)
  }

  @Test func `a password is reset by a code`() async throws {
    let (scene, user) = try await Scene.signedIn()
    try await scene.auth.sendPasswordReset(withEmail: Scene.email)
    let code = try #require(scene.backend.messages.last?.code)
    #expect(try await scene.auth.verifyPasswordResetCode(code) == Scene.email)
    #expect(try await scene.auth.checkActionCode(code).operation == .passwordReset)
    try await scene.auth.confirmPasswordReset(withCode: code, newPassword: "battery staple")
    await expect(.invalidActionCode) { try await scene.auth.verifyPasswordResetCode(code) }
    await expect(.userTokenExpired) { try await user.getIDToken(forcingRefresh: true) }
    #expect(try await scene.auth.signIn(withEmail: Scene.email, password: "battery staple").user.uid == user.uid)
  }

  @Test func `a code for something else is not one for a password`() async throws {
    let (scene, user) = try await Scene.signedIn()
    try await user.sendEmailVerification()
    let code = try #require(scene.backend.messages.last?.code)
    await expect(.invalidActionCode) { try await scene.auth.verifyPasswordResetCode(code) }
    #expect(!user.isEmailVerified)
    try await scene.auth.applyActionCode(code)
    try await user.reload()
    #expect(user.isEmailVerified)
  }

  @Test func `a new address is verified first`() async throws {
    let (scene, user) = try await Scene.signedIn()
    try await user.sendEmailVerification(beforeUpdatingEmail: "countess@example.com")
    let message = try #require(scene.backend.messages.last)
    #expect(message.call.requestType == .verifyAndChangeEmail)
    #expect(message.call.idToken != nil)
    let info = try await scene.auth.checkActionCode(message.code)
    #expect(info.operation == .verifyAndChangeEmail)
    #expect(info.email == "countess@example.com")
    #expect(info.previousEmail == Scene.email)
  }

  @Test func `the ways to sign in are asked for`() async throws {
    let (scene, _) = try await Scene.signedIn()
    #expect(try await scene.auth.fetchSignInMethods(forEmail: Scene.email) == ["password"])
    #expect(try await scene.auth.fetchSignInMethods(forEmail: "other@example.com") == [])
  }

  // MARK: How these calls end

  @Test func `a call that needs no session ends by its timeout, by its caller, and by closing`() async throws {
    let scene = Scene()
    try await scene.auth.ready()
    scene.backend.hold(.sendCode)
    let late = Task {
      await outcome { try await scene.auth.sendPasswordReset(withEmail: "a@example.com", timeout: .seconds(5)) }
    }
    await scene.backend.waitForCall(.sendCode)
    await scene.clocks.waitForSleeper(within: .seconds(5))
    scene.clocks.advance(by: .seconds(6))
    #expect(await late.value == .deadlineExceeded)
    let cancelled = Task { await outcome { try await scene.auth.sendPasswordReset(withEmail: "a@example.com") } }
    await scene.backend.waitForCall(.sendCode, count: 2)
    cancelled.cancel()
    #expect(await cancelled.value == .cancelled)
    let closed = Task { await outcome { try await scene.auth.checkActionCode("x") } }
    scene.backend.hold(.resetPassword)
    await scene.backend.waitForCall(.resetPassword)
    try await scene.auth.close()
    #expect(await closed.value == .closed)
    #expect(await outcome { try await scene.auth.applyActionCode("x") } == .closed)
    scene.backend.release(.sendCode)
    scene.backend.release(.resetPassword)
  }

  private func outcome<Value>(_ call: () async throws -> Value) async -> AuthError.Code? {
    do { _ = try await call() } catch { return (error as? AuthError)?.code }
    return nil
  }

  private func expect<Value>(_ code: AuthError.Code, _ call: () async throws -> Value) async {
    #expect(await outcome(call) == code)
  }

  // MARK: Language

  @Test(
    arguments: [
      ("de_DE.UTF-8", "de-DE"), ("pt_BR", "pt-BR"), ("en", "en"), ("sr_RS.UTF-8@latin", "sr-RS"), ("C", nil),
      ("C.UTF-8", nil), ("POSIX", nil), ("", nil), ("d\u{e9}", nil), ("a b", nil),
    ] as [(String, String?)])
  func `a locale of the environment is a language`(locale: String, language: String?) {
    #expect(Auth.language(ofLocale: locale) == language)
  }
}
