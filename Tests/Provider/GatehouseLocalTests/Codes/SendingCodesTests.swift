import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import IdentityToolkit
import Testing

struct SendingCodesTests {
  @Test func `a message names its recipient and carries a link with its code`() async throws {
    let (scene, outbox) = Scene.sending {
      $0.actionURL = "https://app.example.com/codes?v=1"
      $0.projectID = "demo"
      $0.authorizedDomains = ["app.example.com"]
    }
    try await scene.signUp()
    try await scene.send(.passwordReset) {
      $0.email = "ADA@example.com"
      $0.continueUrl = "https://App.example.com/in?a=1&b=2"
      $0.locale = "de"
    }
    let message = try #require(outbox.messages.first)
    #expect(outbox.messages.count == 1)
    #expect(message.recipient == "ada@example.com")
    #expect(message.code.revealed.utf8.count == 54)
    #expect(
      message.link.revealed == "https://app.example.com/codes?v=1&mode=resetPassword&oobCode=\(message.code.revealed)"
        + "&apiKey=demo&continueUrl=https%3A%2F%2FApp.example.com%2Fin%3Fa%3D1%26b%3D2&lang=de")
    #expect(message.subject == "Neues Passwort f\u{FC}r Gatehouse")
    #expect(message.text.revealed.contains(message.link.revealed))
    #expect(!"\(message)".contains(message.code.revealed))
  }

  @Test func `a provider without a delivery sends nothing and says so`() async throws {
    let scene = Scene()
    try await scene.signUp()
    let error = await expectRefusal("OPERATION_NOT_ALLOWED") {
      try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    }
    #expect(error?.message.contains("delivery.by in provider.json, or LocalOptions.delivery") == true)
  }

  @Test func `links lead on to authorized domains only`() async throws {
    let (scene, outbox) = Scene.sending()
    try await scene.signUp()
    for (url, word) in [
      ("https://evil.example.com/", "UNAUTHORIZED_DOMAIN"),
      ("https://localhost.evil.example.com", "UNAUTHORIZED_DOMAIN"),
      ("https://localhost@evil.example.com/", "INVALID_CONTINUE_URI"), ("javascript:alert(1)", "INVALID_CONTINUE_URI"),
      ("nonsense", "INVALID_CONTINUE_URI"), ("ftp://localhost/", "INVALID_CONTINUE_URI"),
    ] {
      await expectRefusal(word) {
        try await scene.send(.passwordReset) {
          $0.email = "ada@example.com"
          $0.continueUrl = url
        }
      }
    }
    await expectRefusal("INVALID_HOSTING_LINK_DOMAIN") {
      try await scene.send(.passwordReset) {
        $0.email = "ada@example.com"
        $0.linkDomain = "evil.example.com"
      }
    }
    #expect(outbox.messages.isEmpty)
  }

  @Test func `each kind of message wants what it needs`() async throws {
    let (scene, _) = Scene.sending()
    let user = try await scene.signUp()
    let guest = try await scene.signUpAnonymously()
    await expectRefusal("MISSING_EMAIL") { try await scene.send(.passwordReset) { _ in } }
    await expectRefusal("EMAIL_NOT_FOUND") { try await scene.send(.passwordReset) { $0.email = "other@example.com" } }
    await expectRefusal("MISSING_CONTINUE_URI") {
      try await scene.send(.emailSignIn) {
        $0.email = "new@example.com"
        $0.continueUrl = nil
      }
    }
    await expectRefusal("INVALID_ID_TOKEN") { try await scene.send(.verifyEmail) { _ in } }
    await expectRefusal("MISSING_EMAIL") { try await scene.send(.verifyEmail) { $0.idToken = guest.idToken } }
    await expectRefusal("MISSING_EMAIL") { try await scene.send(.verifyAndChangeEmail) { $0.idToken = user.idToken } }
    await expectRefusal("EMAIL_EXISTS") {
      try await scene.send(.verifyAndChangeEmail) {
        $0.idToken = user.idToken
        $0.newEmail = "ada@example.com"
      }
    }
    await expectRefusal("INVALID_REQ_TYPE") { try await scene.send(ActionCodeType(rawValue: "SOMETHING")) { _ in } }
    await expectRefusal("INVALID_REQ_TYPE") { try await scene.send(.recoverEmail) { $0.email = "ada@example.com" } }
  }

  @Test func `an address gets a limited number of messages`() async throws {
    let (scene, outbox) = Scene.sending { $0.messageThrottle = Throttle(attempts: 2, window: .seconds(100)) }
    try await scene.signUp()
    for _ in 0..<2 { try await scene.send(.passwordReset) { $0.email = "ada@example.com" } }
    let refusal = await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") {
      try await scene.send(.emailSignIn) { $0.email = "ada@example.com" }
    }
    #expect(refusal?.retryAfter == .seconds(100))
    try await scene.send(.emailSignIn) { $0.email = "other@example.com" }
    scene.clock.advance(by: 101)
    try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    #expect(outbox.messages.map(\.recipient).count == 4)
  }

  @Test func `messages and failed sign-ins are counted apart`() async throws {
    let (scene, _) = Scene.sending {
      $0.throttle = Throttle(attempts: 1, window: .seconds(100))
      $0.messageThrottle = Throttle(attempts: 1, window: .seconds(100))
    }
    try await scene.signUp()
    await expectRefusal("INVALID_PASSWORD") { try await scene.signIn("ada@example.com", "wrong password") }
    try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
  }

  @Test func `a delivery that fails is the caller's error`() async throws {
    let (scene, outbox) = Scene.sending()
    try await scene.signUp()
    outbox.fail(with: AuthError(.networkError, "no route to the mail server"))
    await expectRefusal(.networkError) { try await scene.send(.passwordReset) { $0.email = "ada@example.com" } }
  }

  @Test func `under enumeration protection an unknown address is answered as a known one`() async throws {
    let (scene, outbox) = Scene.sending {
      $0.enumerationProtection = true
      $0.messageThrottle = Throttle(attempts: 1, window: .seconds(100))
    }
    let user = try await scene.signUp()
    var edit = UpdateAccount(localId: try await scene.signUp("grace@example.com").localId)
    edit.emailVerified = true
    _ = try await scene.backend.answer(edit)
    for email in ["ada@example.com", "unknown@example.com"] {
      let answer = try await scene.backend.answer(
        {
          var call = SendOobCode(.passwordReset)
          call.email = email
          return call
        }())
      #expect(answer == SendOobCode.Response(email: email))
      await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await scene.send(.passwordReset) { $0.email = email } }
    }
    try await scene.send(.verifyAndChangeEmail) {
      $0.idToken = user.idToken
      $0.newEmail = "grace@example.com"
    }
    try await scene.backend.close()
    #expect(outbox.messages.map(\.recipient) == ["ada@example.com"])
  }

  @Test func `under enumeration protection a delivery that fails is not the caller's error`() async throws {
    let (scene, outbox) = Scene.sending { $0.enumerationProtection = true }
    try await scene.signUp()
    outbox.fail(with: AuthError(.networkError, "no route to the mail server"))
    try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
  }

  @Test func `closing waits for the messages under way`() async throws {
    let (scene, outbox) = Scene.sending { $0.enumerationProtection = true }
    try await scene.signUp()
    outbox.hold()
    try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    let isClosed = Lock(false)
    let closing = Task {
      try await scene.backend.close()
      isClosed.withLock { $0 = true }
    }
    // Long enough for a close that does not wait.
    for _ in 0..<20_000 where !isClosed.withLock({ $0 }) { await Task.yield() }
    #expect(!isClosed.withLock { $0 })
    outbox.release()
    try await closing.value
    #expect(outbox.messages.count == 1)
  }

  @Test func `the ways to sign in are told without enumeration protection only`() async throws {
    for isProtected in [false, true] {
      let (scene, outbox) = Scene.sending { $0.enumerationProtection = isProtected }
      try await scene.signUp()
      func ask(_ email: String) async throws -> CreateAuthUri.Response {
        var call = CreateAuthUri(identifier: email)
        call.sessionId = "mine"
        return try await scene.backend.answer(call)
      }
      let known = try await ask("ADA@example.com"), unknown = try await ask("other@example.com")
      #expect(known.signinMethods == (isProtected ? nil : ["password"]))
      #expect(known.registered == (isProtected ? nil : true))
      #expect(unknown.registered == (isProtected ? nil : false))
      if isProtected { #expect(known == unknown) }
      #expect(outbox.messages.isEmpty)
    }
  }
}
