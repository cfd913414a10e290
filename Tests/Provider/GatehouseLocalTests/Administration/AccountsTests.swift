import GatehouseBase
import GatehouseJOSE
import GatehouseLocal
import IdentityToolkit
import Testing

/// What an administrator does with accounts.
struct AccountsTests {
  private let ada = AccountName("ada@example.com")

  @Test func `pages of accounts are in order, and hold each account once`() async throws {
    let scene = Scene()
    var made: Set<String> = []
    for number in 0..<25 { made.insert(try await scene.signUp("user\(number)@example.com").localId) }
    var found: [String] = []
    while true {
      let page = try await scene.backend.accounts(after: found.last, limit: 7)
      #expect(page.count <= 7)
      if page.isEmpty { break }
      found += page.map(\.uid)
    }
    #expect(found == made.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
  }

  @Test func `an account is found by its identifier and by every spelling of its address`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    for name in [user.localId, "ada@example.com", "ADA@Example.COM"] {
      #expect(try await scene.backend.account(AccountName(name)).uid == user.localId)
    }
    for name in ["", "grace@example.com", "nonsense"] {
      await expectRefusal(.userNotFound) { try await scene.backend.account(AccountName(name)) }
    }
  }

  @Test func `a name that reads like an address is one, unless it is called an identifier`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    var draft = AccountDraft()
    draft.uid = "ada@example.com"
    _ = try await scene.backend.createAccount(draft)
    #expect(try await scene.backend.account(ada).uid == user.localId)
    try await scene.backend.setDisabled(uid: "ada@example.com", true)
    try await scene.backend.revoke(uid: "ada@example.com")
    #expect(try await scene.backend.deleteAccount(.uid("ada@example.com")).isDisabled)
    #expect(try await scene.backend.accounts().map(\.uid) == [user.localId])
    // An identifier is never taken for an address, nor an address for an identifier.
    await expectRefusal(.userNotFound) { try await scene.backend.deleteAccount(.uid("ada@example.com")) }
    await expectRefusal(.userNotFound) { try await scene.backend.account(.uid(user.localId, tenantID: "north")) }
    await expectRefusal("INVALID_EMAIL") { try await scene.backend.account(.email(user.localId)) }
  }

  @Test func `an account that is made signs in, and has never signed in before`() async throws {
    let scene = Scene()
    var draft = AccountDraft()
    draft.uid = "ada"
    draft.email = "Ada@example.com"
    draft.isEmailVerified = true
    draft.password = Secret("correct horse")
    draft.displayName = "Ada"
    draft.photoURL = "https://example.com/ada.png"
    draft.claims = ["role": "editor"]
    let made = try await scene.backend.createAccount(draft)
    #expect(made.uid == "ada" && made.email == "ada@example.com" && made.isEmailVerified && made.lastLoginAt == nil)
    #expect(made.displayName == "Ada" && made.photoURL == draft.photoURL && made.signInMethods == ["password"])
    let session = try await scene.signIn()
    #expect(session.localId == "ada")
    #expect(try UnverifiedToken(session.idToken.revealed)["role"] == "editor")
    #expect(try await scene.backend.account(ada).lastLoginAt != nil)
  }

  @Test func `what no account can be is not made`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    func refuse(_ word: String, _ set: (inout AccountDraft) -> Void) async {
      var draft = AccountDraft()
      set(&draft)
      let made = draft
      let error = await #expect(throws: AuthError.self) { _ = try await scene.backend.createAccount(made) }
      if word.isEmpty { #expect(error?.code == .invalidArgument) } else { #expect(error?.serverCode == word) }
    }
    await refuse("DUPLICATE_LOCAL_ID") { $0.uid = user.localId }
    await refuse("EMAIL_EXISTS") { $0.email = "ADA@example.com" }
    await refuse("INVALID_EMAIL") { $0.email = "nonsense" }
    await refuse("") { $0.uid = "" }
    await refuse("") { $0.uid = String(repeating: "u", count: 129) }
    await refuse("MISSING_EMAIL") { $0.password = Secret("correct horse") }
    await refuse("FORBIDDEN_CLAIM") { $0.claims = ["sub": "x"] }
    await refuse("WEAK_PASSWORD") { ($0.email, $0.password) = ("grace@example.com", Secret("short")) }
    #expect(try await scene.backend.accounts().count == 1)
  }

  @Test(
    arguments: ["300000000", "9999999999", "-9999999999", "10000", "1969"].map { "\($0)-12-31T23:59:59Z" } + ["x"])
  func `a factor whose enrollment was at no usable time is enrolled now`(time: String) async throws {
    let scene = Scene()
    let factors = ["+12025550123", "+12025550124"].map { number in
      var factor = CreateAccount.PhoneFactor(phoneInfo: number)
      factor.enrolledAt = time
      return factor
    }
    var call = CreateAccount(localId: "ada")
    (call.email, call.emailVerified, call.mfaInfo) = ("ada@example.com", true, factors)
    _ = try await scene.backend.answer(call)
    let times = try await scene.backend.account(.uid("ada")).secondFactors.map(\.enrollmentSeconds)
    #expect(times == [1_800_000_000, 1_800_000_000])
  }

  @Test func `a change of the profile ends no session, a new address or password ends them all`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    var edit = AccountEdit()
    edit.displayName = "Ada"
    edit.isEmailVerified = true
    let named = try await scene.backend.updateAccount(ada, edit)
    #expect(named.displayName == "Ada" && named.isEmailVerified)
    _ = try await scene.refresh(user.refreshToken)
    edit = AccountEdit()
    edit.displayName = ""
    edit.password = Secret("another horse")
    #expect(try await scene.backend.updateAccount(ada, edit).displayName == nil)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(user.refreshToken) }
    let again = try await scene.signIn("ada@example.com", "another horse")
    edit = AccountEdit()
    edit.email = "lovelace@example.com"
    let moved = try await scene.backend.updateAccount(ada, edit)
    #expect(moved.email == "lovelace@example.com" && !moved.isEmailVerified)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(again.refreshToken) }
    try await scene.signUp("grace@example.com")
    edit.email = "grace@example.com"
    await expectRefusal("EMAIL_EXISTS") { [edit] in
      try await scene.backend.updateAccount(AccountName("lovelace@example.com"), edit)
    }
  }

  @Test func `a new password by an administrator ends the wait after failures`() async throws {
    let scene = Scene { $0.throttle.attempts = 2 }
    try await scene.signUp()
    for _ in 1...2 { _ = try? await scene.signIn("ada@example.com", "wrong horse") }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await scene.signIn() }
    var edit = AccountEdit()
    edit.password = Secret("another horse")
    _ = try await scene.backend.updateAccount(ada, edit)
    try await scene.signIn("ada@example.com", "another horse")
  }

  @Test func `claims are in ID tokens from the next refresh on, and the provider's own win`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    var edit = AccountEdit()
    edit.claims = ["role": "editor", "name": "Not Ada", "n": 1]
    _ = try await scene.backend.updateAccount(ada, edit)
    #expect(try UnverifiedToken(user.idToken.revealed)["role"] == nil)
    let token = try UnverifiedToken(try await scene.refresh(user.refreshToken).idToken.revealed)
    #expect(token["role"] == "editor" && token["n"] == 1)
    #expect(token.subject == user.localId && token["firebase"]?["sign_in_provider"] == "password")
    edit.claims = JSONObject()
    #expect(try await scene.backend.updateAccount(ada, edit).claims.isEmpty)
    #expect(try UnverifiedToken(try await scene.refresh(user.refreshToken).idToken.revealed)["role"] == nil)
  }

  @Test(arguments: ["iss", "sid", "firebase", "email", "user_id", "cnf"])
  func `a claim of the provider's own cannot be set`(_ name: String) async throws {
    let scene = Scene()
    try await scene.signUp()
    var edit = AccountEdit()
    edit.claims = [name: "x"]
    let error = await expectRefusal(.invalidArgument) { [edit] in try await scene.backend.updateAccount(ada, edit) }
    #expect(error?.serverCode == "FORBIDDEN_CLAIM")
  }

  @Test func `claims have 1,000 bytes at most`() async throws {
    let scene = Scene()
    try await scene.signUp()
    var edit = AccountEdit()
    edit.claims = ["a": .string(String(repeating: "x", count: 1000 - #"{"a":""}"#.utf8.count))]
    _ = try await scene.backend.updateAccount(ada, edit)
    edit.claims = ["a": .string(String(repeating: "x", count: 1001 - #"{"a":""}"#.utf8.count))]
    let error = await expectRefusal(.invalidArgument) { [edit] in try await scene.backend.updateAccount(ada, edit) }
    #expect(error?.serverCode == "CLAIMS_TOO_LARGE")
  }

  @Test func `an account that is deleted is gone, with its sessions`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    #expect(try await scene.backend.deleteAccount(ada).uid == user.localId)
    await expectRefusal("USER_NOT_FOUND") { try await scene.refresh(user.refreshToken) }
    await expectRefusal(.userNotFound) { try await scene.backend.deleteAccount(ada) }
    #expect(try await scene.signUp().localId != user.localId)
  }
}
