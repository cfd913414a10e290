import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// Two accounts whose identifiers differ in their normalization only, which Swift's `==` takes for one.
struct EqualIdentifiersTests {
  private static let composed = "caf\u{E9}", decomposed = "cafe\u{301}"
  private let scene = Scene()

  init() async throws {
    for (uid, email) in [(Self.composed, "a@example.com"), (Self.decomposed, "b@example.com")] {
      var call = CreateAccount(localId: uid)
      (call.email, call.password) = (email, Secret("correct horse"))
      _ = try await scene.backend.answer(call)
    }
    #expect(Self.composed == Self.decomposed, "Swift takes them for equal")
  }

  private func emails(_ accounts: [Account]?) -> [String] { (accounts ?? []).compactMap(\.email).sorted() }

  @Test func `look-ups, queries and lists return both`() async throws {
    var call = LookupAccounts()
    call.localId = [Self.composed, Self.decomposed, Self.composed]
    call.email = ["a@example.com", "b@example.com"]
    #expect(emails(try await scene.backend.answer(call).users) == ["a@example.com", "b@example.com"])
    for (uid, email) in [(Self.composed, "a@example.com"), (Self.decomposed, "b@example.com")] {
      call = LookupAccounts()
      call.localId = [uid]
      #expect(emails(try await scene.backend.answer(call).users) == [email])
      var query = QueryAccounts()
      var condition = QueryAccounts.Condition()
      condition.userId = uid
      query.expression = [condition]
      #expect(emails(try await scene.backend.answer(query).userInfo) == [email])
      #expect(try await scene.backend.account(.uid(uid)).email == email)
    }
    #expect(emails(try await scene.backend.answer(ListAccounts()).users) == ["a@example.com", "b@example.com"])
  }

  @Test func `changes of one leave the other as it was`() async throws {
    var edit = UpdateAccount(localId: Self.composed)
    (edit.displayName, edit.disableUser) = ("one", true)
    _ = try await scene.backend.answer(edit)
    await expectRefusal("USER_DISABLED") { try await scene.signIn("a@example.com") }
    let other = try await scene.signIn("b@example.com")
    #expect(other.localId.isExactly(Self.decomposed) && other.displayName != "one")
    try await scene.backend.revoke(uid: Self.composed)
    _ = try await scene.refresh(other.refreshToken)
    #expect(try await scene.lookUp(other.idToken).email == "b@example.com")
    try await scene.backend.revoke(uid: Self.decomposed)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(other.refreshToken) }
  }

  @Test func `deletions of one leave the other`() async throws {
    let deleted = try await scene.backend.answer(DeleteAccounts(localIds: [Self.composed], force: true))
    #expect(deleted.errors?.isEmpty ?? true)
    #expect(emails(try await scene.backend.answer(ListAccounts()).users) == ["b@example.com"])
    await expectRefusal("USER_NOT_FOUND") { try await scene.backend.answer(DeleteAccount(localId: Self.composed)) }
    _ = try await scene.backend.answer(DeleteAccount(localId: Self.decomposed))
    #expect(emails(try await scene.backend.answer(ListAccounts()).users) == [])
  }

  @Test func `an import takes both, and overwrites the one that it names`() async throws {
    let other = Scene()
    let users = [Self.composed, Self.decomposed].map { ImportedAccount(localId: $0) }
    #expect(try await other.backend.answer(ImportAccounts(users: users)).error == nil)
    var call = ImportAccounts(users: [users[1]])
    call.users[0].displayName = "two"
    call.allowOverwrite = true
    #expect(try await other.backend.answer(call).error == nil)
    let names = try await other.backend.answer(ListAccounts()).users?.map { $0.displayName ?? "" }
    #expect(names?.sorted() == ["", "two"])
  }

  @Test func `identity providers whose names differ so are two, and one is unlinked`() async throws {
    for (provider, subject) in [("oidc.\(Self.composed)", "1"), ("oidc.\(Self.decomposed)", "2")] {
      var edit = UpdateAccount(localId: Self.composed)
      var info = Account.ProviderUserInfo(providerId: provider)
      info.rawId = subject
      edit.linkProviderUserInfo = info
      _ = try await scene.backend.answer(edit)
    }
    func subjects() async throws -> [String?] {
      var call = LookupAccounts()
      call.localId = [Self.composed]
      let user = try #require(try await scene.backend.answer(call).users?.first)
      return (user.providerUserInfo ?? []).filter { $0.providerId.hasPrefix("oidc.") }.map(\.rawId)
    }
    #expect(Set(try await subjects()) == ["1", "2"])
    var edit = UpdateAccount(localId: Self.composed)
    edit.deleteProvider = ["oidc.\(Self.decomposed)"]
    _ = try await scene.backend.answer(edit)
    #expect(try await subjects() == ["1"])
    let user = try await scene.signIn("a@example.com")
    _ = try await scene.update(user.idToken) { $0.deleteProvider = ["oidc.\(Self.decomposed)"] }
    #expect(try await subjects() == ["1"], "the user's own call names another one")
    _ = try await scene.update(user.idToken) { $0.deleteProvider = ["oidc.\(Self.composed)"] }
    #expect(try await subjects() == [])
  }
}
