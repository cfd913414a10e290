import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// Accounts from elsewhere, with the password hashes of other systems.
struct ImportTests {
  private let scene = Scene()

  // MARK: Hashes

  @Test(arguments: Making.allCases)
  func `a password of another system signs in, and is hashed as ours from then on`(making: Making) async throws {
    #expect(try await scene.backend.answer(making.call(Self.ada)).error == nil)
    let before = try await exported()
    await #expect(throws: AuthError.self) { try await scene.signIn("ada@example.com", making.password + "!") }
    #expect(try await exported() == before, "a wrong password changes nothing")
    let signedIn = try await scene.signIn("ada@example.com", making.password)
    #expect(signedIn.localId == "ada")
    let after = try await exported()
    #expect(after != before && after.count == 44, "32 bytes of ours")
    try await scene.signIn("ada@example.com", making.password)
    #expect(try await exported() == after, "hashed once")
    await #expect(throws: AuthError.self) { try await scene.signIn("ada@example.com", making.password + "!") }
  }

  @Test func `an export is an import elsewhere`() async throws {
    try await scene.signUp()
    let exported = try #require(try await scene.backend.answer(ListAccounts()).users?.first)
    let other = Scene()
    var user = ImportedAccount(localId: exported.localId)
    (user.email, user.passwordHash, user.salt) = (exported.email, exported.passwordHash, exported.salt)
    var call = ImportAccounts(users: [user])
    call.hashAlgorithm = "STANDARD_SCRYPT"
    (call.cpuMemCost, call.blockSize, call.parallelization, call.dkLen) = (16, 1, 1, 32)
    #expect(try await other.backend.answer(call).error == nil)
    #expect(try await other.signIn().localId == exported.localId)
  }

  @Test func `only an export shows hashes`() async throws {
    let signedUp = try await scene.signUp()
    var question = LookupAccounts()
    question.localId = [signedUp.localId]
    let found = try #require(try await scene.backend.answer(question).users?.first)
    #expect(found.passwordHash == nil && found.salt == nil)
    #expect(try await scene.lookUp(signedUp.idToken).passwordHash == nil)
  }

  // MARK: Accounts

  @Test func `an account comes with all that it had`() async throws {
    var user = Self.ada
    user.emailVerified = true
    user.displayName = "Ada"
    user.photoUrl = "https://example.com/a.png"
    user.phoneNumber = "+12025550123"
    user.disabled = true
    user.customAttributes = #"{"level":3}"#
    var identity = Account.ProviderUserInfo(providerId: "google.com")
    identity.rawId = "g1"
    user.providerUserInfo = [identity, Account.ProviderUserInfo(providerId: "password")]
    user.mfaInfo = [CreateAccount.PhoneFactor(phoneInfo: "+12025550124")]
    user.createdAt = DecimalString(1_500_000_000_123)
    user.lastLoginAt = DecimalString(1_600_000_000_456)
    #expect(try await scene.backend.answer(ImportAccounts(users: [user])).error == nil)
    let account = try #require(try await scene.backend.answer(ListAccounts()).users?.first)
    #expect(account.emailVerified == true && account.disabled == true)
    #expect(account.displayName == "Ada" && account.photoUrl == "https://example.com/a.png")
    #expect(account.phoneNumber == "+12025550123")
    #expect(account.customAttributes == #"{"level":3}"#)
    #expect(Set(account.providerUserInfo?.map(\.providerId) ?? []) == ["google.com", "phone"])
    #expect(account.mfaInfo?.map(\.phoneInfo) == ["+12025550124"])
    #expect(account.createdAt?.value == 1_500_000_000_123 && account.lastLoginAt?.value == 1_600_000_000_456)
  }

  @Test func `a bad account costs that one, and says why`() async throws {
    func user(_ uid: String, _ set: (inout ImportedAccount) -> Void) -> ImportedAccount {
      var user = ImportedAccount(localId: uid)
      set(&user)
      return user
    }
    var nameless = ImportedAccount(localId: "")
    nameless.localId = nil
    let users = [
      nameless,
      user("b") { $0.email = "no address" },
      user("c") { $0.phoneNumber = "12" },
      user("d") { $0.customAttributes = "[]" },
      user("e") { $0.customAttributes = #"{"sub":1}"# },
      user("f") { $0.providerUserInfo = [Account.ProviderUserInfo(providerId: "google.com")] },
      user("g") { $0.tenantId = "elsewhere" },
      user("h") { $0.createdAt = DecimalString(-1) },
      user("i") { $0.email = "twice@example.com" },
      user("j") { $0.email = "TWICE@example.com" },
      user(String(repeating: "x", count: 129)) { _ in },
      user("k") { $0.mfaInfo = [CreateAccount.PhoneFactor(phoneInfo: "1")] },
      user("l") { _ in },
      user("m") {
        $0.providerUserInfo = [Account.ProviderUserInfo(providerId: "anonymous")]
        $0.providerUserInfo?[0].rawId = "x"
      },
    ]
    let faults = try await scene.backend.answer(ImportAccounts(users: users)).error ?? []
    #expect(faults.map(\.index) == [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 13])
    #expect(faults.first?.message == "localId is missing")
    #expect(faults.contains { $0.message == "email exists in other account in database" })
    #expect(faults.contains { $0.message.hasPrefix("FORBIDDEN_CLAIM : ") })
    #expect(try await uids() == ["i", "l"])
  }

  @Test func `an account is overwritten only on demand, and its sessions end`() async throws {
    let signedUp = try await scene.signUp()
    var user = ImportedAccount(localId: signedUp.localId)
    user.email = "ada@example.com"
    var call = ImportAccounts(users: [user])
    let refused = try await scene.backend.answer(call).error
    #expect(refused?.first?.message == "localId belongs to an existing account - can not overwrite.")
    #expect(try await scene.signIn().localId == signedUp.localId)
    call.allowOverwrite = true
    #expect(try await scene.backend.answer(call).error == nil)
    await #expect(throws: AuthError.self) { try await scene.refresh(signedUp.refreshToken) }
    await #expect(throws: AuthError.self) { try await scene.signIn() }
  }

  @Test func `an import replaces no account of another tenant, though it may replace`() async throws {
    _ = try await scene.backend.createTenant("t")
    for (tenant, other) in [(nil, "t"), ("t", nil)] as [(String?, String?)] {
      var user = ImportedAccount(localId: "ada-\(tenant ?? "")")
      user.email = "ada@example.com"
      var call = ImportAccounts(users: [user])
      call.tenantId = tenant
      #expect(try await scene.backend.answer(call).error?.isEmpty ?? true)
      call.users[0].displayName = "Eve"
      call.allowOverwrite = true
      call.tenantId = other
      let refused = try await scene.backend.answer(call).error
      #expect(refused?.count == 1, "\(String(describing: refused))")
      let kept = try await scene.backend.account(AccountName("ada-\(tenant ?? "")"))
      #expect(kept.tenantID == tenant && kept.displayName == nil && kept.email == "ada@example.com")
    }
  }

  @Test func `a tenant's accounts are its own`() async throws {
    _ = try await scene.backend.createTenant("t")
    try await scene.signUp()
    var call = ImportAccounts(users: [Self.ada])
    call.tenantId = "t"
    #expect(try await scene.backend.answer(call).error == nil, "the address is free there")
    var list = ListAccounts()
    list.tenantId = "t"
    #expect(try await scene.backend.answer(list).users?.map(\.localId) == ["ada"])
  }

  @Test func `what all accounts share is refused once, in the protocol's words`() async throws {
    var user = Self.ada
    user.passwordHash = Secret("AAAA")
    func refusal(_ users: [ImportedAccount], _ set: (inout ImportAccounts) -> Void) async -> String? {
      var call = ImportAccounts(users: users)
      set(&call)
      do throws(AuthError) { _ = try await scene.backend.answer(call) } catch { return error.serverCode }
      return nil
    }
    #expect(await refusal([]) { _ in } == "MISSING_USER_ACCOUNT")
    let many = (0...1000).map { ImportedAccount(localId: "u\($0)") }
    #expect(await refusal(many) { _ in } == "INVALID_ARGUMENT")
    #expect(await refusal([user]) { _ in } == "MISSING_HASH_ALGORITHM")
    // Only an emulator takes a password that can be read.
    user.passwordHash = Secret("fakeHash:salt=s:password=p")
    #expect(await refusal([user]) { _ in } == "MISSING_HASH_ALGORITHM")
    #expect(await refusal([user]) { $0.hashAlgorithm = "ROT13" } == "INVALID_HASH_ALGORITHM")
    #expect(await refusal([user]) { ($0.hashAlgorithm, $0.rounds) = ("SHA1", 8193) } == "INVALID_HASH_ROUNDS")
    #expect(await refusal([user]) { $0.hashAlgorithm = "SHA256" } == "INVALID_HASH_ROUNDS")
    #expect(await refusal([user]) { $0.hashAlgorithm = "HMAC_SHA256" } == "INVALID_ARGUMENT", "without a key")
    #expect(
      await refusal([user]) {
        $0.hashAlgorithm = "STANDARD_SCRYPT"
        ($0.cpuMemCost, $0.blockSize, $0.parallelization, $0.dkLen) = (1 << 24, 64, 64, 64)
      } == "INVALID_ARGUMENT", "more memory than there may be")
    #expect(await refusal([user, user]) { $0.hashAlgorithm = "BCRYPT" } == "DUPLICATE_LOCAL_ID")
    #expect(
      await refusal([user]) { ($0.hashAlgorithm, $0.rounds) = ("PBKDF2_SHA256", 10_000_001) } == "INVALID_HASH_ROUNDS")
    #expect(
      await refusal([user]) { ($0.hashAlgorithm, $0.rounds) = ("PBKDF_SHA1", 10_000_001) } == "INVALID_HASH_ROUNDS")
    #expect(
      await refusal([user]) {
        ($0.hashAlgorithm, $0.saltSeparator) = ("BCRYPT", String(repeating: "AAAA", count: 342))
      } == "INVALID_ARGUMENT", "a separator of 1026 bytes")
    #expect(
      await refusal([user]) {
        $0.hashAlgorithm = "STANDARD_SCRYPT"
        ($0.cpuMemCost, $0.blockSize, $0.parallelization, $0.dkLen) = (16, 1, 1, 15)
      } == "INVALID_ARGUMENT", "a hash that many passwords have")
    #expect(await refusal([user]) { Self.argon2(memory: (1 << 20) + 1, iterations: 1, &$0) } == "INVALID_ARGUMENT")
    #expect(await refusal([user]) { Self.argon2(memory: 1 << 20, iterations: 5, &$0) } == "INVALID_ARGUMENT")
    // With `sanityCheck` two accounts that cannot both come in refuse all of them.
    var first = Self.ada, second = ImportedAccount(localId: "b")
    second.email = "ADA@example.com"
    #expect(await refusal([first, second]) { $0.sanityCheck = true } == "DUPLICATE_EMAIL")
    second.email = nil
    var info = Account.ProviderUserInfo(providerId: "google.com")
    info.rawId = "g-1"
    (first.providerUserInfo, second.providerUserInfo) = ([info], [info])
    #expect(await refusal([first, second]) { $0.sanityCheck = true } == "DUPLICATE_RAW_ID")
    #expect(try await uids() == [])
  }

  @Test func `a hash that many passwords have is refused`() async throws {
    var users = [ImportedAccount(localId: "a"), ImportedAccount(localId: "b")]
    for (index, length) in [15, 16].enumerated() {
      users[index].email = "\(index)@example.com"
      users[index].passwordHash = Secret(Base64.encode([UInt8](repeating: 1, count: length)))
    }
    var call = ImportAccounts(users: users)
    (call.hashAlgorithm, call.rounds) = ("PBKDF2_SHA256", 1)
    #expect(try await scene.backend.answer(call).error?.map(\.index) == [0])
  }

  @Test func `what another account has, or what can be of none, costs its account`() async throws {
    var info = Account.ProviderUserInfo(providerId: "google.com")
    info.rawId = "g-1"
    var first = Self.ada
    (first.phoneNumber, first.providerUserInfo) = ("+12025550123", [info])
    var users = (1...3).map { ImportedAccount(localId: "u\($0)") }
    users[0].phoneNumber = "+12025550123"
    users[1].providerUserInfo = [info]
    info.rawId = nil
    users[2].providerUserInfo = [info]
    let faults = try await scene.backend.answer(ImportAccounts(users: [first] + users)).error ?? []
    #expect(faults.map(\.index) == [1, 2, 3])
    #expect(
      faults.map(\.message) == [
        "phone number exists in other account in database", "raw id exists in other account in database",
        "federatedId or (providerId & rawId) is required",
      ])
    #expect(try await uids() == ["ada"])
  }

  @Test func `a hash or salt of another length than its algorithm has costs its account`() async throws {
    var user = Self.ada
    func message(_ hash: String, _ salt: String?, _ set: (inout ImportAccounts) -> Void) async throws -> String? {
      (user.passwordHash, user.salt) = (Secret(hash), salt.map { Secret($0) })
      var call = ImportAccounts(users: [user])
      set(&call)
      return try await scene.backend.answer(call).error?.first?.message
    }
    let long = String(repeating: "AAAA", count: 342)
    #expect(try await message("AAAA", nil) { ($0.hashAlgorithm, $0.rounds) = ("SHA1", 1) } != nil)
    #expect(try await message(long, nil) { ($0.hashAlgorithm, $0.rounds) = ("PBKDF2_SHA256", 1) } != nil)
    #expect(try await message("AAAA", long) { ($0.hashAlgorithm, $0.rounds) = ("PBKDF2_SHA256", 1) } != nil)
    let argon2 = try await message("ZdBTTpw8BQMLIW1eFSQuXrzS8bj/a1ZbmCQUlUBp/yA=", "AAAA") {
      Self.argon2(memory: 64, iterations: 1, &$0)
    }
    #expect(argon2 == "a salt of Argon2 has 8 bytes or more")
    // 60 letters of bcrypt, with a cost that would take hours.
    let bcrypt = "$2b$31$" + String(repeating: "a", count: 53)
    #expect(
      try await message(Base64.encode(Array(bcrypt.utf8)), nil) { $0.hashAlgorithm = "BCRYPT" }?
        .contains("as much as 524288 hashes of ours") == true)
    #expect(try await uids() == [])
  }

  @Test func `a raw password is hashed as ours, unless a hash comes with it`() async throws {
    var user = Self.ada
    user.rawPassword = Secret("correct horse")
    #expect(try await scene.backend.answer(ImportAccounts(users: [user])).error == nil)
    #expect(try await exported().count == 44, "32 bytes of ours")
    #expect(try await scene.signIn().localId == "ada")
    var hashed = Making.bcrypt.call(user)
    hashed.allowOverwrite = true
    #expect(try await scene.backend.answer(hashed).error == nil)
    await #expect(throws: AuthError.self) { try await scene.signIn() }
    #expect(try await scene.signIn("ada@example.com", Making.bcrypt.password).localId == "ada")
  }

  @Test func `hashes of usual costs come in, and one that would take minutes costs its account`() async throws {
    var user = Self.ada
    user.passwordHash = Secret("ZdBTTpw8BQMLIW1eFSQuXrzS8bj/a1ZbmCQUlUBp/yA=")
    user.salt = Secret("ZWlnaHQgYnl0ZXM=")
    var call = ImportAccounts(users: [user])
    call.allowOverwrite = true
    for (memory, iterations) in [(65536, 3), (102_400, 2), (1 << 20, 4)] {
      Self.argon2(memory: memory, iterations: iterations, &call)
      #expect(try await scene.backend.answer(call).error == nil)
    }
    (call.hashAlgorithm, call.rounds) = ("PBKDF2_SHA256", 10_000_000)
    #expect(try await scene.backend.answer(call).error == nil)
    call.users[0].passwordHash = Secret(String(repeating: "AAAA", count: 11))
    let faults = try await scene.backend.answer(call).error ?? []
    #expect(faults.map(\.index) == [0], "33 bytes are two blocks")
  }

  @Test(arguments: ["*", "AAAA", "JDJhJDMx"])
  func `a hash that its algorithm cannot have made costs that account`(hash: String) async throws {
    var user = Self.ada
    user.passwordHash = Secret(hash)
    var call = ImportAccounts(users: [user, ImportedAccount(localId: "b")])
    call.hashAlgorithm = "BCRYPT"
    let faults = try await scene.backend.answer(call).error ?? []
    #expect(faults.map(\.index) == [0])
    #expect(faults.allSatisfy { !$0.message.contains(hash) }, "a hash is not repeated")
    #expect(try await uids() == ["b"])
  }

  // MARK: Helpers

  private static var ada: ImportedAccount {
    var user = ImportedAccount(localId: "ada")
    user.email = "ada@example.com"
    return user
  }

  private static func argon2(memory: Int, iterations: Int, _ call: inout ImportAccounts) {
    var parameters = ImportAccounts.Argon2Parameters()
    (parameters.hashType, parameters.hashLengthBytes, parameters.parallelism) = ("ARGON2_ID", 32, 1)
    (parameters.memoryCostKib, parameters.iterations) = (memory, iterations)
    (call.hashAlgorithm, call.argon2Parameters) = ("ARGON2", parameters)
  }

  private func exported() async throws -> String {
    try await scene.backend.answer(ListAccounts()).users?.first?.passwordHash?.revealed ?? ""
  }

  private func uids() async throws -> [String] {
    try await scene.backend.answer(ListAccounts()).users?.map(\.localId) ?? []
  }
}
