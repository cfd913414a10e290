import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// The calls whose answers tell whether an address has an account: a network gets a limited number of such answers.
struct ToldAddressTests {
  /// A way to ask.
  enum Way: CaseIterable {
    case signUp, linkedPassword, update, messageOfChange, codeOfChange, linkedMail
    case identity, identityWithoutAccount, linkedIdentity

    /// Whether it can be asked without the mailbox, of any address.
    var isOfAnyAddress: Bool { ![.codeOfChange, .linkedMail].contains(self) }
  }

  private static let network = Caller(address: "192.0.2.1")
  private static let tooMany = "TOO_MANY_ATTEMPTS_TRY_LATER"
  private let identities: IdentityScene
  private let outbox = Outbox()
  private var scene: Scene { identities.scene }

  init() throws {
    identities = try IdentityScene { [outbox] in
      $0.delivery = outbox
      $0.signUpThrottle = Throttle(attempts: 2, window: .seconds(3600))
    }
  }

  /// Returns a function that asks whether an address is taken, each time in a new way, and returns the answer.
  private func asker(_ way: Way) async throws -> (_ email: String, _ number: Int) async throws -> String {
    let backend = scene.backend.backend(for: Self.network)
    let guest = try await scene.signUpAnonymously().idToken
    func word<C: Call>(_ call: C, _ told: (C.Response) -> String? = { _ in nil }) async -> String {
      do throws(AuthError) {
        let answer = try await backend.answer(call)
        return told(answer) ?? "done"
      } catch { return error.serverCode ?? "\(error.code)" }
    }
    func told(_ answer: SignInWithIdp.Response) -> String? {
      answer.needConfirmation == true ? "needConfirmation" : answer.errorMessage
    }
    func claims(_ email: String) -> JSONObject { ["email": .string(email), "email_verified": false] }
    let password = Secret("correct horse")
    switch way {
    case .signUp: return { email, _ in await word(SignUp(email: email, password: password)) }
    case .linkedPassword:
      return { email, _ in await word(SignUp(email: email, password: password, linkingTo: guest)) }
    case .update:
      var call = Update(idToken: guest)
      call.password = password
      return { [call] email, _ in
        var call = call
        call.email = email
        return await word(call)
      }
    case .messageOfChange:
      var call = SendOobCode(.verifyAndChangeEmail)
      call.idToken = try await scene.signUp("eve@example.com").idToken
      return { [call] email, _ in
        var call = call
        call.newEmail = email
        return await word(call)
      }
    case .codeOfChange:
      let eve = try await scene.signUp("eve@example.com")
      try await scene.send(.verifyAndChangeEmail) {
        $0.idToken = eve.idToken
        $0.newEmail = "grace@example.com"
      }
      let code = try await scene.message(.verifyAndChangeEmail, in: outbox).code
      try await verified("grace@example.com")
      return { _, _ in await word(Update(oobCode: code)) }
    case .linkedMail:
      try await scene.send(.emailSignIn) { $0.email = "ada@example.com" }
      let code = try await scene.message(.emailSignIn, in: outbox).code
      return { email, _ in await word(SignInWithEmailLink(email: email, oobCode: code, linkingTo: guest)) }
    case .identity:
      return { [identities] email, number in
        await word(SignInWithIdp(try identities.credential("u\(number)", claims(email))), told)
      }
    case .identityWithoutAccount:
      return { [identities] email, number in
        var call = SignInWithIdp(try identities.credential("u\(number)", claims(email)))
        call.autoCreate = false
        return await word(call, told)
      }
    case .linkedIdentity:
      return { [identities] email, number in
        await word(SignInWithIdp(try identities.credential("u\(number)", claims(email)), linkingTo: guest), told)
      }
    }
  }

  private func verified(_ email: String) async throws {
    let user = try await scene.signUp(email)
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    _ = try await scene.backend.answer(Update(oobCode: try await scene.message(.verifyEmail, in: outbox).code))
  }

  @Test(arguments: Way.allCases) func `a network is told of a limited number of addresses`(_ way: Way) async throws {
    try await verified("ada@example.com")
    let ask = try await asker(way)
    for number in 1...2 {
      let answer = try await ask("ada@example.com", number)
      #expect(["EMAIL_EXISTS", "needConfirmation"].contains(answer))
    }
    #expect(try await ask("ada@example.com", 3) == Self.tooMany)
    guard way.isOfAnyAddress else { return }
    #expect(try await ask("free@example.com", 4) == Self.tooMany, "above the limit, nothing tells the two apart")
  }

  @Test func `an answer that an address is free counts as well`() async throws {
    try await verified("ada@example.com")
    let ask = try await asker(.identityWithoutAccount)
    for number in 1...2 { #expect(try await ask("free\(number)@example.com", number) == "USER_NOT_FOUND") }
    for email in ["free@example.com", "ada@example.com"] { #expect(try await ask(email, 3) == Self.tooMany) }
  }

  /// Without enumeration protection, three calls tell it in words of their own.
  private enum Plain: CaseIterable { case signIn, reset, methods }

  private func ask(_ way: Plain, _ email: String, by backend: CallerBackend) async -> String {
    do throws(AuthError) {
      switch way {
      case .signIn: _ = try await backend.answer(SignInWithPassword(email: email, password: Secret("wrong horse")))
      case .reset:
        var call = SendOobCode(.passwordReset)
        call.email = email
        _ = try await backend.answer(call)
      case .methods:
        let call = CreateAuthUri(identifier: email, continueUri: "http://localhost")
        return "registered: \(try await backend.answer(call).registered == true)"
      }
      return "done"
    } catch { return error.serverCode ?? "\(error.code)" }
  }

  @Test(arguments: Plain.allCases)
  private func `without enumeration protection, every answer about an address counts too`(_ way: Plain) async throws {
    let outbox = Outbox()
    let scene = Scene {
      $0.delivery = outbox
      $0.signUpThrottle = Throttle(attempts: 4, window: .seconds(3600))
      $0.addressThrottle = $0.signUpThrottle
      $0.networkMessageThrottle = $0.signUpThrottle
    }
    _ = try await scene.signUp()
    var disabled = UpdateAccount(localId: try await scene.signUp("bob@example.com").localId)
    disabled.disableUser = true
    _ = try await scene.backend.answer(disabled)
    for (network, emails) in [
      (1, ["free1@example.com", "free2@example.com", "free3@example.com", "free4@example.com"]),
      (2, ["ada@example.com", "free1@example.com", "ada@example.com", "bob@example.com"]),
    ] {
      let backend = scene.backend.backend(for: Caller(address: "192.0.\(network).1"))
      for email in emails { #expect(await ask(way, email, by: backend) != Self.tooMany, "\(email)") }
      for email in ["ada@example.com", "bob@example.com", "free9@example.com"] where way != .reset || network == 1 {
        #expect(
          await ask(way, email, by: backend) == Self.tooMany, "\(network): above the limit all are alike: \(email)")
      }
    }
  }

  @Test func `an administrator and a user who has proved the address are not counted`() async throws {
    try await verified("ada@example.com")
    var administrator = Self.network
    administrator.isAdministrator = true
    var draft = CreateAccount(localId: "bob")
    draft.email = "ada@example.com"
    for _ in 1...4 {
      await expectRefusal("EMAIL_EXISTS") { [administrator, draft] in
        try await scene.backend.backend(for: administrator).answer(draft)
      }
    }
    let trusted = try IdentityScene(trusted: true) { $0.signUpThrottle.attempts = 2 }
    try await trusted.scene.signUp()
    let claims: JSONObject = ["email": "ada@example.com", "email_verified": true]
    for number in 1...4 {
      _ = try await trusted.scene.backend.backend(for: Self.network)
        .answer(SignInWithIdp(trusted.credential("u\(number)", claims)))
    }
  }
}
