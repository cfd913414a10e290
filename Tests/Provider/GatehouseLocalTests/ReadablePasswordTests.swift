import GRDB
import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// The passwords of an emulator's home, which can be read.
struct ReadablePasswordTests {
  private static let odd = [
    "correct horse", "a:b:password=c", "\u{301}combining", "new\nline", "fakeHash:salt=x:password=y",
    "q\u{0}rest of it",
  ]

  private func emulator() -> Scene { Scene { $0.acceptsUnverifiedIdentities = true } }

  @Test func `an emulator's home keeps a password as it is, and no other home does`() async throws {
    for (scene, isReadable) in [(emulator(), true), (Scene(), false)] {
      try await scene.signUp()
      let hash = try #require(try await account(of: scene).passwordHash).revealed
      let found = hash.wholeMatch(of: /fakeHash:salt=fakeSalt[\w-]{20}:password=correct horse/)
      #expect((found != nil) == isReadable)
    }
  }

  @Test func `passwords of all characters sign in, and others do not`() async throws {
    let scene = emulator()
    for (index, password) in Self.odd.enumerated() {
      try await scene.signUp("\(index)@example.com", password)
      try await scene.signIn("\(index)@example.com", password)
      for wrong in [password + " ", String(password.unicodeScalars.dropLast().map(Character.init)), "password"] {
        await expectRefusal(.wrongPassword) { try await scene.signIn("\(index)@example.com", wrong) }
      }
    }
  }

  @Test func `an emulator's accounts are imported as they were exported`() async throws {
    let (scene, other) = (emulator(), emulator())
    for (index, password) in Self.odd.enumerated() { try await scene.signUp("\(index)@example.com", password) }
    var users: [ImportedAccount] = []
    for account in try await accounts(of: scene) {
      var user = ImportedAccount(localId: account.localId)
      // The one with a NUL is a hash.
      guard account.passwordHash?.revealed.hasPrefix("fakeHash") == true else { continue }
      (user.email, user.passwordHash, user.salt) = (account.email, account.passwordHash, account.salt)
      users.append(user)
    }
    #expect(users.count == Self.odd.count - 1)
    #expect(try await other.backend.answer(ImportAccounts(users: users)).error == nil)
    for (index, password) in Self.odd.dropLast().enumerated() {
      try await other.signIn("\(index)@example.com", password)
    }
  }

  @Test func `no other home takes a readable password, by import or from its database`() async throws {
    let scene = Scene()
    try await scene.signUp()
    var user = ImportedAccount(localId: "eve")
    (user.email, user.passwordHash) = ("eve@example.com", Secret("fakeHash:salt=s:password=secret1"))
    for algorithm in [nil, "SHA256", "BCRYPT"] {
      var call = ImportAccounts(users: [user])
      (call.hashAlgorithm, call.rounds) = (algorithm, 1)
      let faults: Int?
      do { faults = try await scene.backend.answer(call).error?.count } catch { faults = 1 }
      #expect(faults == 1, "\(algorithm ?? "none")")
    }
    await expectRefusal(.userNotFound) { try await scene.signIn("eve@example.com", "secret1") }
    try await scene.backend.close()
    let queue = try DatabaseQueue(path: scene.folder.home + "/accounts.sqlite")
    try queue.inDatabase { db in
      try db.execute(sql: "UPDATE account SET password = 'fakeHash:salt=s:password=secret1'")
    }
    try queue.close()
    let backend = scene.another()
    await expectRefusal(.providerDamaged) {
      try await backend.answer(SignInWithPassword(email: "ada@example.com", password: Secret("secret1")))
    }
    await expectRefusal(.providerDamaged) { try await backend.answer(ListAccounts()) }
  }

  @Test func `a malformed password refuses its own account only`() async throws {
    let scene = emulator()
    let hashes = [
      "fakeHash:salt=s:password=secret1", "fakeHash:salt=s", "fakeHash:salt=s:pass=x:password=y",
      "fakeHash:salt=s:password=a\u{0}b",
    ]
    let users = hashes.enumerated().map { index, hash in
      var user = ImportedAccount(localId: "\(index)")
      (user.email, user.passwordHash) = ("\(index)@example.com", Secret(hash))
      return user
    }
    #expect(try await scene.backend.answer(ImportAccounts(users: users)).error?.map(\.index) == [1, 2, 3])
    try await scene.signIn("0@example.com", "secret1")
  }

  @Test func `another system's hash becomes readable at the first sign-in`() async throws {
    let scene = emulator()
    var user = ImportedAccount(localId: "ada")
    // SHA-256 of "secret1".
    (user.email, user.passwordHash) = ("ada@example.com", Secret("WxFhjC5EAnh30M0JIe0Wa58Xb1BYf8kedTTdKUbbd9Y"))
    var call = ImportAccounts(users: [user])
    (call.hashAlgorithm, call.rounds) = ("SHA256", 1)
    #expect(try await scene.backend.answer(call).error == nil)
    await expectRefusal(.wrongPassword) { try await scene.signIn("ada@example.com", "secret2") }
    try await scene.signIn("ada@example.com", "secret1")
    #expect(try await account(of: scene).passwordHash?.revealed.hasSuffix(":password=secret1") == true)
    try await scene.signIn("ada@example.com", "secret1")
  }

  @Test func `an import keeps when sessions were revoked, but no time that is to come`() async throws {
    let scene = Scene()
    let now = Int64(scene.clock.now().wall)
    for (uid, given, kept) in [("past", 5, 5), ("future", now + 1000, now)] {
      var user = ImportedAccount(localId: uid)
      (user.validSince, user.customAuth) = (DecimalString(given), true)
      #expect(try await scene.backend.answer(ImportAccounts(users: [user])).error == nil)
      var lookup = LookupAccounts()
      lookup.localId = [uid]
      let account = try await scene.backend.answer(lookup).users?.first
      #expect(account?.validSince?.value == kept && account?.customAuth == true)
    }
  }

  private func accounts(of scene: Scene) async throws -> [Account] {
    try await scene.backend.answer(ListAccounts()).users ?? []
  }

  private func account(of scene: Scene) async throws -> Account {
    let accounts = try await accounts(of: scene)
    #expect(accounts.count == 1)
    return try #require(accounts.first)
  }
}
