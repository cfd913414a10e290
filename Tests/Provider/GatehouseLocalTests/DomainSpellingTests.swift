import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// A domain in Unicode and in ASCII is one domain, whose mailbox has one account (decision 155).
struct DomainSpellingTests {
  private static let unicode = "ada@b\u{FC}cher.example", ascii = "ada@xn--bcher-kva.example"

  @Test(arguments: [(unicode, ascii), (ascii, unicode)])
  func `an address with its domain in Unicode and in ASCII is one account`(_ one: String, _ other: String) async throws
  {
    let scene = Scene()
    let user = try await scene.signUp(one)
    #expect(user.email?.isExactly(Self.unicode) == true)
    #expect(try await scene.signIn(other).localId == user.localId)
    await expectRefusal("EMAIL_EXISTS") { try await scene.signUp(other) }
    var call = LookupAccounts()
    call.email = [one, other]
    #expect(try await scene.backend.answer(call).users?.map(\.localId) == [user.localId])
  }

  @Test func `an address in ASCII of an older home gets the form of all spellings, unless another account has it`()
    async throws
  {
    let scene = Scene()
    let alone = try await scene.signUp("alone@b\u{FC}cher.example")
    let both = try await scene.signUp(Self.unicode)
    let older = try await scene.signUp("older@example.com")
    let other = try await scene.signUp("bob@example.com")
    try await scene.backend.close()
    try scene.execute(
      """
      UPDATE account SET email = 'alone@xn--bcher-kva.example' WHERE uid = '\(alone.localId)';
      UPDATE account SET email = '\(Self.ascii)' WHERE uid = '\(older.localId)';
      DELETE FROM grdb_migrations WHERE identifier = '0.1 one form of a domain';
      """)
    let before = try scene.rows("SELECT uid, epoch, passwordEpoch, phoneEpoch FROM account ORDER BY uid")
    let now = scene.another()
    let signIn = { (email: String) in
      try await now.answer(SignInWithPassword(email: email, password: Secret("correct horse"))).localId
    }
    #expect(try await signIn("alone@xn--bcher-kva.example") == alone.localId)
    #expect(try await signIn("alone@b\u{FC}cher.example") == alone.localId)
    for email in [Self.unicode, Self.ascii] { #expect(try await signIn(email) == both.localId) }
    #expect(try await signIn("bob@example.com") == other.localId)
    // No account is lost: the other one is found by its identifier, and gets another address from an administrator.
    #expect(try await now.account(.uid(older.localId)).email == Self.ascii)
    var edit = UpdateAccount(localId: older.localId)
    edit.email = "older@example.com"
    _ = try await now.answer(edit)
    #expect(try await signIn("older@example.com") == older.localId)
    let after = try scene.rows("SELECT uid, epoch, passwordEpoch, phoneEpoch FROM account ORDER BY uid")
    for (one, two) in zip(before, after) where one.first != older.localId { #expect(one == two, "no epoch has ended") }
  }
}
