import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

struct SigningUpTests {
  @Test func `a sign-up with an address and a password makes an account and signs it in`() async throws {
    let scene = Scene()
    let answer = try await scene.signUp(displayName: "Ada")
    #expect(answer.email == "ada@example.com")
    #expect(answer.displayName == "Ada")
    #expect(answer.expiresIn.value == 3600)
    #expect(answer.localId.utf8.count == 28)
    #expect(answer.localId.utf8.allSatisfy { Character(Unicode.Scalar($0)).isLetter || (48...57).contains($0) })
    #expect(answer.refreshToken.revealed.utf8.count == 43)
    #expect(try await scene.signIn().localId == answer.localId)
  }

  @Test func `an anonymous sign-up makes an account with nothing but its identifier`() async throws {
    let scene = Scene()
    let first = try await scene.signUpAnonymously()
    let second = try await scene.signUpAnonymously()
    #expect(first.email == nil)
    #expect(first.localId != second.localId)
    let account = try await scene.lookUp(first.idToken)
    #expect(account.profile.isAnonymous)
  }

  @Test func `an address is lower-cased, and taken in any case`() async throws {
    let scene = Scene()
    #expect(try await scene.signUp("Ada@Example.COM").email == "ada@example.com")
    let error = await expectRefusal("EMAIL_EXISTS") { try await scene.signUp("aDa@example.com") }
    #expect(error?.email == "ada@example.com")
    _ = try await scene.signIn("ADA@EXAMPLE.COM")
  }

  @Test func `addresses that only look the same are two addresses`() async throws {
    let scene = Scene()
    let latin = try await scene.signUp("ada@example.com")
    let cyrillic = try await scene.signUp("\u{430}d\u{430}@example.com")
    #expect(latin.localId != cyrillic.localId)
    #expect(try await scene.signIn("\u{410}D\u{410}@example.com").localId == cyrillic.localId)
  }

  @Test func `of many sign-ups of one address at once exactly one succeeds`() async throws {
    let scene = Scene()
    let other = scene.another()
    let outcomes = await withTaskGroup(of: AuthError?.self) { group in
      for number in 0..<16 {
        group.addTask {
          do throws(AuthError) {
            let call = SignUp(email: "ada@example.com", password: Secret("password \(number)"))
            _ = try await (number % 2 == 0 ? scene.backend : other).answer(call)
            return nil
          } catch {
            return error
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count { $0 == nil } == 1)
    #expect(outcomes.count { $0?.serverCode == "EMAIL_EXISTS" } == 15)
  }

  @Test(arguments: [
    "ada", "@example.com", "ada@", "ada@b@c", "a da@example.com", "ada@exa\tmple.com", "ada@example.com\n",
    "ada\0@example.com", "ada@example\u{7F}.com", "ada@\u{2028}example.com", "a\u{A0}da@example.com", "\u{1}@b",
    String(repeating: "a", count: 245) + "@example.com",
  ])
  func `a malformed address is refused`(_ address: String) async {
    let scene = Scene()
    await expectRefusal("INVALID_EMAIL") { try await scene.signUp(address) }
    await expectRefusal("INVALID_EMAIL") { try await scene.signIn(address) }
  }

  /// Programs that show mail would make a link of it.
  @Test(arguments: [
    "https://evil.example.com/login#@example.com", "a:b@example.com",
  ])
  func `an address that reads like a link has no account`(_ address: String) async throws {
    let (scene, _) = Scene.sending()
    await expectRefusal("INVALID_EMAIL") { try await scene.signUp(address) }
    let user = try await scene.signUp()
    await expectRefusal("INVALID_EMAIL") {
      try await scene.send(.verifyAndChangeEmail) { ($0.idToken, $0.newEmail) = (user.idToken, address) }
    }
    await expectRefusal("INVALID_EMAIL") {
      try await scene.send(.emailSignIn) { ($0.email, $0.continueUrl) = (address, "http://localhost") }
    }
  }

  @Test func `an address of 256 bytes is taken`() async throws {
    let scene = Scene()
    let address = String(repeating: "a", count: 244) + "@example.com"
    #expect(address.utf8.count == 256)
    _ = try await scene.signUp(address)
  }

  @Test func `empty and missing values are refused by name`() async {
    let scene = Scene()
    await expectRefusal("MISSING_EMAIL") { try await scene.signUp("") }
    await expectRefusal("MISSING_PASSWORD") { try await scene.signUp("ada@example.com", "") }
    await expectRefusal("MISSING_EMAIL") { try await scene.backend.answer(SignUp(password: Secret("correct horse"))) }
    await expectRefusal("MISSING_PASSWORD") { try await scene.backend.answer(SignUp(email: "ada@example.com")) }
    await expectRefusal("MISSING_EMAIL") { try await scene.signIn("") }
    await expectRefusal("MISSING_PASSWORD") { try await scene.signIn("ada@example.com", "") }
  }

  @Test func `a password has six code points at least`() async throws {
    let scene = Scene()
    let error = await expectRefusal("WEAK_PASSWORD") { try await scene.signUp("ada@example.com", "12345") }
    #expect(error?.message.contains("12345") == false)
    await expectRefusal("WEAK_PASSWORD") { try await scene.signUp("ada@example.com", "\u{1F600}\u{1F600}") }
    _ = try await scene.signUp("ada@example.com", "123456")
  }

  @Test func `a password has 4096 bytes at most`() async throws {
    let scene = Scene()
    let long = String(repeating: "x", count: 4096)
    await expectRefusal("PASSWORD_DOES_NOT_MEET_REQUIREMENTS") { try await scene.signUp("ada@example.com", long + "x") }
    _ = try await scene.signUp("ada@example.com", long)
    await expectRefusal("PASSWORD_DOES_NOT_MEET_REQUIREMENTS") { try await scene.signIn("ada@example.com", long + "x") }
    _ = try await scene.signIn("ada@example.com", long)
  }

  @Test func `strings of ten megabytes are refused`() async throws {
    let scene = Scene()
    let huge = String(repeating: "a", count: 10_000_000)
    let error = await expectRefusal("INVALID_EMAIL") { try await scene.signUp(huge + "@example.com") }
    #expect((error?.message.utf8.count ?? .max) < 200 && error?.email == nil)
    await expectRefusal("PASSWORD_DOES_NOT_MEET_REQUIREMENTS") { try await scene.signUp("ada@example.com", huge) }
    await expectRefusal(.invalidArgument) { try await scene.signUp(displayName: huge) }
    await expectRefusal("INVALID_ID_TOKEN") { try await scene.lookUp(Secret(huge)) }
    await expectRefusal("INVALID_REFRESH_TOKEN") { try await scene.refresh(Secret(huge)) }
    let user = try await scene.signUp()
    await expectRefusal(.invalidArgument) { try await scene.update(user.idToken) { $0.photoUrl = huge } }
  }

  @Test func `a password is its bytes, NUL and all`() async throws {
    let scene = Scene()
    try await scene.signUp("ada@example.com", "before\0after")
    await expectRefusal("INVALID_PASSWORD") { try await scene.signIn("ada@example.com", "before\0other") }
    await expectRefusal("INVALID_PASSWORD") { try await scene.signIn("ada@example.com", "before") }
    try await scene.signIn("ada@example.com", "before\0after")
  }

  @Test func `a password is not normalised`() async throws {
    let scene = Scene()
    try await scene.signUp("ada@example.com", "caf\u{E9} cr\u{E8}me")
    await expectRefusal("INVALID_PASSWORD") { try await scene.signIn("ada@example.com", "cafe\u{301} cre\u{300}me") }
  }

  @Test func `bytes that are no UTF-8 cannot be told apart once Swift has repaired them`() async throws {
    // A `String` is always valid Unicode: the reader of the bytes must refuse these before they become one.
    let scene = Scene()
    let repaired = String(decoding: [0x70, 0x61, 0x73, 0x73, 0xFF, 0x77, 0x64], as: UTF8.self)
    try await scene.signUp("ada@example.com", repaired)
    try await scene.signIn("ada@example.com", "pass\u{FFFD}wd")
  }

  @Test func `a display name with a NUL is refused`() async {
    await expectRefusal(.invalidArgument) { try await Scene().signUp(displayName: "A\0da") }
  }
}
