import GatehouseBase
import GatehouseLocal
import Glibc
import HangGuard
import IdentityToolkit
import Testing

struct SigningInTests {
  @Test func `a sign-in gives tokens of its own`() async throws {
    let scene = Scene()
    let first = try await scene.signUp()
    scene.clock.advance(by: 60)
    let second = try await scene.signIn()
    #expect(first.refreshToken != second.refreshToken)
    #expect(first.idToken != second.idToken)
    _ = try await scene.refresh(first.refreshToken)
    _ = try await scene.refresh(second.refreshToken)
  }

  @Test func `a wrong password is refused`() async throws {
    let scene = Scene()
    try await scene.signUp()
    let error = await expectRefusal("INVALID_PASSWORD") { try await scene.signIn("ada@example.com", "battery staple") }
    #expect(error?.description.contains("battery") == false)
    await expectRefusal("INVALID_PASSWORD") { try await scene.signIn("ada@example.com", "CORRECT HORSE") }
    await expectRefusal("INVALID_PASSWORD") { try await scene.signIn("ada@example.com", "correct horse ") }
  }

  @Test func `an unknown address is refused`() async {
    await expectRefusal("EMAIL_NOT_FOUND") { try await Scene().signIn("nobody@example.com") }
  }

  @Test func `a disabled account is refused, and an enabled one let in again`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    try await scene.backend.setDisabled(uid: user.localId, true)
    await expectRefusal("USER_DISABLED") { try await scene.signIn() }
    await expectRefusal("INVALID_PASSWORD") { try await scene.signIn("ada@example.com", "guess work") }
    await expectRefusal("USER_DISABLED") { try await scene.lookUp(user.idToken) }
    await expectRefusal("USER_DISABLED") { try await scene.refresh(user.refreshToken) }
    await expectRefusal("USER_DISABLED") { try await scene.update(user.idToken) { $0.displayName = "Ada" } }
    await expectRefusal("USER_DISABLED") { try await scene.backend.answer(Delete(idToken: user.idToken)) }
    try await scene.backend.setDisabled(uid: user.localId, false)
    let again = try await scene.signIn()
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(user.refreshToken) }
    // Enabling an account that is enabled ends nothing.
    try await scene.backend.setDisabled(uid: user.localId, false)
    _ = try await scene.refresh(again.refreshToken)
    var call = UpdateAccount(localId: user.localId)
    for isDisabled in [true, true, false] {
      call.disableUser = isDisabled
      _ = try await scene.backend.answer(call)
    }
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(again.refreshToken) }
  }

  @Test func `with enumeration protection an unknown address and a wrong password look the same`() async throws {
    let scene = Scene { $0.enumerationProtection = true }
    try await scene.signUp()
    for address in ["ada@example.com", "nobody@example.com"] {
      let error = await expectRefusal("INVALID_LOGIN_CREDENTIALS") { try await scene.signIn(address, "guess work") }
      #expect(error == AuthError(server: "INVALID_LOGIN_CREDENTIALS", email: address))
    }
    try await scene.signIn()
  }

  @Test func `with enumeration protection an unknown address and every wrong password cost the same`() async throws {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      // A hash of a tenth of a second, against which all else is nothing.
      let scene = Scene {
        $0.enumerationProtection = true
        $0.passwordCost = PasswordCost(n: 32768, r: 8, p: 1)
        $0.throttle = Throttle(attempts: 100)
      }
      try await scene.signUp()
      var imported = ImportedAccount(localId: "grace")
      imported.email = "grace@example.com"
      imported.passwordHash = Secret("/IHkN/KpU7agGiI9y/EXxQ==")
      var call = ImportAccounts(users: [imported])
      (call.hashAlgorithm, call.rounds) = ("MD5", 2)
      #expect(try await scene.backend.answer(call).error == nil)
      let cheap = scene.another { $0.passwordCost = .uncheckedForTests }
      _ = try await cheap.answer(SignUp(email: "old@example.com", password: Secret("correct horse")))
      _ = try await cheap.answer(SignUp(email: "costly@example.com", password: Secret("correct horse")))
      // A hash that would take hundreds of times as long (`HashWork`).
      try scene.execute(
        "UPDATE account SET password = replace(password, '$16$1$1$', '$1048576$7$64$') WHERE email LIKE 'costly%'")
      // The processor time of this process, which does nothing else: a busy machine does not stretch it.
      var used = ["ada@example.com": 0, "grace@example.com": 0, "costly@example.com": 0]
      used["old@example.com"] = 0
      used["nobody@example.com"] = 0
      for _ in 1...4 {
        for address in used.keys {
          let before = clock()
          await expectRefusal("INVALID_LOGIN_CREDENTIALS") { try await scene.signIn(address, "guess work") }
          used[address, default: 0] += clock() - before
        }
      }
      let unknown = try #require(used["nobody@example.com"])
      for (address, known) in used { #expect(unknown > known / 4 && unknown < known * 4, "\(address)") }
    }
  }

  @Test func `a hash of another cost is replaced when its user signs in`() async throws {
    let scene = Scene()
    try await scene.signUp()
    func cost() throws -> String {
      let hash = try scene.rows("SELECT password FROM account").first?.first.flatMap(\.self) ?? ""
      return hash.split(separator: "$").dropFirst().prefix(3).joined(separator: " ")
    }
    #expect(try cost() == "16 1 1")
    let dearer = scene.another { $0.passwordCost = PasswordCost(n: 32, r: 2, p: 3) }
    let wrong = SignInWithPassword(email: "ada@example.com", password: Secret("guess work"))
    await expectRefusal("INVALID_PASSWORD") { try await dearer.answer(wrong) }
    #expect(try cost() == "16 1 1")
    for backend in [dearer, dearer, scene.backend] {
      let right = SignInWithPassword(email: "ada@example.com", password: Secret("correct horse"))
      _ = try await backend.answer(right)
      #expect(try cost() == (backend === scene.backend ? "16 1 1" : "32 2 3"))
    }
  }

  @Test func `with enumeration protection unknown addresses are throttled like known ones`() async throws {
    let scene = Scene {
      $0.enumerationProtection = true
      $0.throttle = Throttle(attempts: 2, window: .seconds(60))
    }
    try await scene.signUp()
    for address in ["ada@example.com", "nobody@example.com"] {
      for _ in 1...2 {
        await expectRefusal("INVALID_LOGIN_CREDENTIALS") { try await scene.signIn(address, "guess work") }
      }
      await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await scene.signIn(address, "guess work") }
    }
  }

  @Test func `after too many failures an account is closed until the window has passed`() async throws {
    let scene = Scene { $0.throttle = Throttle(attempts: 3, window: .seconds(60)) }
    try await scene.signUp()
    try await scene.signUp("other@example.com")
    for _ in 1...3 {
      await expectRefusal("INVALID_PASSWORD") { try await scene.signIn("ada@example.com", "guess work") }
    }
    scene.clock.advance(by: 20)
    let error = await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await scene.signIn() }
    #expect(error?.retryAfter == .seconds(40))
    #expect(error?.message.hasSuffix("try again in 40 s") == true)
    try await scene.signIn("other@example.com")
    let restarted = scene.another { $0.throttle = Throttle(attempts: 3, window: .seconds(60)) }
    let right = SignInWithPassword(email: "ada@example.com", password: Secret("correct horse"))
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await restarted.answer(right) }
    scene.clock.advance(by: 40)
    try await scene.signIn()
  }

  @Test func `a sign-in that succeeds forgets the failures before it`() async throws {
    let scene = Scene { $0.throttle = Throttle(attempts: 3, window: .seconds(60)) }
    try await scene.signUp()
    for _ in 1...4 {
      for _ in 1...2 {
        await expectRefusal("INVALID_PASSWORD") { try await scene.signIn("ada@example.com", "guess work") }
      }
      try await scene.signIn()
    }
  }

  @Test func `guesses at once are answered no more often than the throttle allows`() async throws {
    // The hash takes long enough for several guesses to begin before the first has failed.
    let adjust: (inout LocalOptions) -> Void = {
      $0.throttle = Throttle(attempts: 3, window: .seconds(60))
      $0.passwordCost = PasswordCost(n: 4096, r: 8, p: 1)
    }
    let scene = Scene(adjust)
    try await scene.signUp()
    let other = scene.another(adjust)
    let words = await withTaskGroup(of: String?.self) { group in
      for number in 0..<24 {
        group.addTask {
          let call = SignInWithPassword(email: "ada@example.com", password: Secret("guess \(number)"))
          do throws(AuthError) {
            _ = try await (number % 2 == 0 ? scene.backend : other).answer(call)
            return nil
          } catch {
            return error.serverCode
          }
        }
      }
      return await group.reduce(into: [String?]()) { $0.append($1) }
    }
    #expect(words.count { $0 == "INVALID_PASSWORD" } == 3)
    #expect(words.count { $0 == "TOO_MANY_ATTEMPTS_TRY_LATER" } == 21)
  }

  @Test func `sign-ins at once that are right all succeed, while one of them replaces an imported hash`() async throws {
    // The hash takes long enough for several sign-ins to begin before the first has replaced it.
    let scene = Scene {
      $0.throttle = Throttle(attempts: 1, window: .seconds(60))
      $0.passwordCost = PasswordCost(n: 4096, r: 8, p: 1)
    }
    var user = ImportedAccount(localId: "ada")
    user.email = "ada@example.com"
    #expect(try await scene.backend.answer(Making.md5Twice.call(user)).error == nil)
    let uids = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<12 { group.addTask { try await scene.signIn().localId } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(uids.count == 12)
  }

  @Test func `sign-ins at once that are right all succeed`() async throws {
    let scene = Scene { $0.throttle = Throttle(attempts: 1, window: .seconds(60)) }
    try await scene.signUp()
    let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
      for _ in 0..<32 { group.addTask { try await scene.signIn().refreshToken } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(tokens.count == 32)
  }
}
