import GatehouseBase
import GatehouseHTTP
import GatehouseServer
import Testing

/// The accounts of an emulator, as Firebase's emulator exports them.
struct EmulatorDataTests {
  private static let good = #"""
    {"localId":"ada","email":"ada@example.com","emailVerified":true,"displayName":"Ada","photoUrl":"","disabled":false,
    "passwordHash":"fakeHash:salt=fakeSalt1:password=secret1","salt":"fakeSalt1","passwordUpdatedAt":1725938208676,
    "createdAt":"1725938208676","lastLoginAt":"1725938208677","validSince":"1725938208","mfaInfo":[],
    "customAttributes":"{\"role\":\"admin\"}","phoneNumber":"+1 (202) 555-0123","initialEmail":"a@example.com",
    "providerUserInfo":[{"providerId":"password","email":"ada@example.com","rawId":"ada@example.com"},
    {"providerId":"google.com","rawId":"g1","federatedId":"g1","screenName":"ada","displayName":"Ada"},
    {"providerId":"phone","phoneNumber":"+1 (202) 555-0123","rawId":"+1 (202) 555-0123"}],"something":{"new":true}}
    """#

  private let scene = ServerScene(isEmulator: true)

  private func read(_ users: String, _ configuration: String? = nil) throws -> EmulatorData {
    try EmulatorData(
      accounts: Array(#"{"kind":"identitytoolkit#DownloadAccountResponse","users":[\#(users)]}"#.utf8),
      configuration: configuration.map { Array($0.utf8) })
  }

  @Test func `an emulator begins with the accounts of an export, in place of its own`() async throws {
    _ = await scene.signUp("bob@example.com")
    #expect(try await read(Self.good).replaceAccounts(of: scene.provider) == [])
    let reply = await scene.post(
      "/v1/accounts:signInWithPassword", #"{"email":"ada@example.com","password":"secret1"}"#)
    #expect(reply["localId"] == "ada")
    let users = try #require(await users(of: scene))
    #expect(users.count == 1)
    #expect(users[0]["phoneNumber"]?.string == "+12025550123" && users[0]["createdAt"]?.string == "1725938208676")
    #expect(users[0]["customAttributes"]?.string == #"{"role":"admin"}"#)
    let providers = users[0]["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string }
    #expect(Set(providers ?? []) == ["password", "google.com", "phone"])
  }

  @Test(arguments: [
    (#"{"email":"x@example.com"}"#, 1), (#"{"localId":"x","email":"nonsense"}"#, 1), ("17", 1), ("null", 1),
    (#"{"localId":"x","email":"ada@example.com"}"#, 1), (#"{"localId":"x","disabled":"perhaps"}"#, 1),
    (#"{"localId":"x","phoneNumber":"12"}"#, 1), (#"{"localId":"x","customAttributes":"{"}"#, 1),
    (#"{"localId":"x","passwordHash":"dGVzdA==","salt":"dGVzdA=="}"#, 2),
    (#"{"localId":"x","email":"x@example.com","emailVerified":true,"mfaInfo":[{"totpInfo":{}}]}"#, 2),
    (#"{"localId":"x","passwordHash":"fakeHash:salt=nothing"}"#, 1),
    (#"{"localId":"x","providerUserInfo":[{"providerId":"google.com"}]}"#, 2),
    (#"{"localId":"x","providerUserInfo":[{"providerId":"google.com","federatedId":"1"}]}"#, 2),
    (#"{"localId":"ada"}"#, 1),
  ])
  func `an account that cannot be imported costs no other`(odd: String, count: Int) async throws {
    for users in [[Self.good, odd], [odd, Self.good]] where odd != #"{"localId":"ada"}"# || users[0] == odd {
      let notes = try await read(users.joined(separator: ",")).replaceAccounts(of: scene.provider)
      let found = try #require(await self.users(of: scene))
      let isRepaired = odd.contains("providerUserInfo") || odd == #"{"localId":"ada"}"#
      #expect(found.count == count && notes.count == (isRepaired ? 0 : 1), "\(odd): \(notes)")
      guard !odd.contains(#""email":"ada"#) else { continue }
      #expect(found.contains { $0["email"]?.string == "ada@example.com" }, "\(odd)")
    }
  }

  @Test func `an export is read again as it was written`() async throws {
    _ = try await read(Self.good).replaceAccounts(of: scene.provider)
    for body in [#"{"email":"eve@example.com","password":"a:b password=c"}"#, "{}"] {
      #expect(await scene.post("/v1/accounts:signUp", body).status == 200)
    }
    #expect(await scene.post("/v1/accounts:signInWithCustomToken", #"{"token":"{\"uid\":\"cy\"}"}"#).status == 200)
    let written = try await EmulatorData(of: scene.provider)
    #expect(written.accounts.names == ["kind", "users"] && written.accounts["users"]?.array?.count == 4)
    let other = ServerScene(isEmulator: true)
    let read = try EmulatorData(
      accounts: Array(written.accounts.description.utf8), configuration: Array(written.configuration.description.utf8))
    #expect(try await read.replaceAccounts(of: other.provider) == [])
    #expect(try await Self.plain(EmulatorData(of: other.provider)) == Self.plain(written))
    let body = #"{"email":"eve@example.com","password":"a:b password=c"}"#
    #expect(await other.post("/v1/accounts:signInWithPassword", body).status == 200)
  }

  @Test func `the configuration of an export is the emulator's`() async throws {
    for isProtected in [true, false] {
      let privacy = #"{"enableImprovedEmailPrivacy":\#(isProtected)}"#
      let text = #"{"signIn":{"allowDuplicateEmails":true},"usageMode":"DEFAULT","emailPrivacyConfig":\#(privacy)}"#
      let notes = try await read("", text).replaceAccounts(of: scene.provider)
      #expect(notes.count == 1 && notes.first?.contains("allowDuplicateEmails") == true)
      let written = try await EmulatorData(of: scene.provider).configuration["emailPrivacyConfig"]
      #expect(written?["enableImprovedEmailPrivacy"]?.bool == isProtected)
    }
  }

  @Test(arguments: ["", "[]", "{", #"{"users":{}}"#, #"{"users":[],"users":[]}"#])
  func `a file that cannot be read deletes nothing`(file: String) async throws {
    #expect(throws: AuthError.self) { try EmulatorData(accounts: Array(file.utf8), configuration: nil) }
  }

  @Test func `more accounts than a call of clients may have are imported`() async throws {
    let users = (0..<2500).map { #"{"localId":"\#($0)"}"# }.joined(separator: ",")
    #expect(try await read(users).replaceAccounts(of: scene.provider) == [])
    #expect(try await EmulatorData(of: scene.provider).count == 2500)
  }

  private func users(of scene: ServerScene) async -> [JSONValue]? {
    let reply = await scene.get(
      "/v1/projects/local/accounts:batchGet?maxResults=-1", headers: ["Authorization": "Bearer owner"])
    return reply.json["users"]?.array
  }

  /// The accounts, without the times of the last ID token, which are of this provider's own tokens.
  private static func plain(_ data: EmulatorData) -> [JSONValue] {
    (data.accounts["users"]?.array ?? []).map { user in
      var user = user.object ?? [:]
      user["lastRefreshAt"] = nil
      return .object(user)
    }
  }
}
