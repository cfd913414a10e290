import Foundation
import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import IdentityToolkit
import Testing

/// Files of accounts are imported, as Firebase's tools have exported them.
struct UserFileImportTests {
  static let hashConfig = """
    hash_config {
      algorithm: SCRYPT,
      base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
      base64_salt_separator: Bw==,
      rounds: 8,
      mem_cost: 14,
    }
    """
  private static let hash = "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="

  /// A file in the form that `firebase auth:export users.json` writes.
  private static let json = #"""
    {"users": [
    {
      "localId": "ada",
      "email": "Ada@Example.com",
      "emailVerified": true,
      "passwordHash": "\#(hash)",
      "salt": "42xEC+ixf3L2lw==",
      "displayName": "Ada, \"Countess\"",
      "photoUrl": "https://example.com/a.png",
      "lastSignedInAt": "1725938208677",
      "createdAt": "1725938208676",
      "disabled": false,
      "customAttributes": "{\"role\":\"a\\\"b\"}",
      "mfaInfo": [{"mfaEnrollmentId": "m1", "displayName": "phone", "phoneInfo": "+12025550124",
        "enrolledAt": "2024-09-10T03:16:48Z"}],
      "providerUserInfo": [
        {"providerId": "google.com", "rawId": "g1", "email": "ada@example.com", "displayName": "Ada", "photoUrl": ""}
      ]
    },
    {"localId": "bob", "phoneNumber": "+1 202 555 0123", "createdAt": "1725938208678", "disabled": true,
      "providerUserInfo": []}
    ]}
    """#

  /// The same accounts as `firebase auth:export users.csv` writes them: JSON's escaped quotes are not doubled.
  private static let csv =
    #"ada,Ada@Example.com,true,\#(hash),42xEC+ixf3L2lw==,"Ada, ""Countess""",https://example.com/a.png,"#
    + #"g1,ada@example.com,Ada,,,,,,,,,,,,,,1725938208676,1725938208677,,false,"{""role"":""a\"b""}","#
    + String(repeating: ",", count: 24) + "\n"
    + #"bob,,false,,,,,,,,,,,,,,,,,,,,,1725938208678,,+1 202 555 0123,true,,"# + "\n"

  private let scene = Scene()

  private func options(_ set: (inout UserFileImportOptions) -> Void = { _ in }) throws -> UserFileImportOptions {
    var options = UserFileImportOptions()
    options.hash = try UserFileHash(reading: Self.hashConfig.utf8)
    set(&options)
    return options
  }

  private func file(_ name: String, _ text: String) throws -> String {
    let path = scene.folder.path + "/" + name
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }

  @Test(arguments: ["users.json", "users.csv"])
  func `accounts come with all that they had, and their passwords`(name: String) async throws {
    let text = name.hasSuffix("json") ? Self.json : Self.csv
    let result = try await scene.backend.importUsers(from: file(name, text), options())
    #expect(result.imported == 2 && result.refused == 0 && result.alreadyThere == 0, "\(result)")
    let ada = try await scene.backend.account(.uid("ada"))
    #expect(ada.email == "ada@example.com" && ada.isEmailVerified && ada.displayName == "Ada, \"Countess\"")
    #expect(ada.createdAt == 1_725_938_208_676 && ada.lastLoginAt == 1_725_938_208_677)
    #expect(ada.claims["role"]?.string == #"a"b"#, "\(ada.claims)")
    #expect(ada.signInMethods == ["password", "google.com"] && !ada.isDisabled)
    #expect(ada.secondFactors.count == (name.hasSuffix("json") ? 1 : 0))
    let bob = try await scene.backend.account(.uid("bob"))
    #expect(bob.phoneNumber == "+12025550123" && bob.isDisabled && bob.lastLoginAt == nil)
    guard ada.secondFactors.isEmpty else { return }
    #expect(try await scene.signIn("ada@example.com", "user1password").localId == "ada")
  }

  @Test func `an import that is run again recognizes its accounts, and leaves them as they are`() async throws {
    let path = try file("users.csv", Self.csv)
    #expect(try await scene.backend.importUsers(from: path, options()).imported == 2)
    // Meanwhile the user has signed in, which makes another hash of the password, and changed the address.
    try await scene.signIn("ada@example.com", "user1password")
    var edit = AccountEdit()
    (edit.email, edit.displayName) = ("other@example.com", "Other")
    _ = try await scene.backend.updateAccount(.uid("ada"), edit)
    let again = try await scene.backend.importUsers(from: path, options())
    #expect(again.imported == 0 && again.alreadyThere == 2 && again.refused == 0, "\(again)")
    let ada = try await scene.backend.account(.uid("ada"))
    #expect(ada.email == "other@example.com" && ada.displayName == "Other")
    let longer = try file("longer.csv", Self.csv + "cy,cy@example.com,false,,,,,,,,,,,,,,,,,,,,,1,2,,,,\n")
    let rest = try await scene.backend.importUsers(from: longer, options())
    #expect(rest.imported == 1 && rest.alreadyThere == 2, "\(rest)")
  }

  @Test func `an import with the right parameters mends one with wrong ones, but no password that was used`()
    async throws
  {
    let path = try file("users.json", Self.json)
    let secret = #""passwordHash":"\#(Self.hash)","salt":"42xEC+ixf3L2lw==""#
    let eve = #"{"users":[{"localId":"eve","email":"eve@example.com",\#(secret)}]}"#
    let used = try await scene.backend.importUsers(from: file("eve.json", eve), options())
    #expect(used.imported == 1)
    try await scene.signIn("eve@example.com", "user1password")
    let wrong = try UserFileHash(reading: Self.hashConfig.replacing("jxspr8Ki", with: "AAAAAAAA").utf8)
    #expect(
      try await scene.backend.importUsers(from: path, options { $0.hash = wrong }).imported
        == 2)
    await expectRefusal(.wrongPassword) { try await scene.signIn("ada@example.com", "user1password") }
    let again = try await scene.backend.importUsers(from: path, options())
    #expect(again.imported == 0 && again.alreadyThere == 2 && again.corrected == 1 && again.refused == 0, "\(again)")
    #expect(try await scene.backend.importUsers(from: path, options()).corrected == 0)
    let other = try await scene.backend.importUsers(
      from: file("eve.json", eve), options { $0.hash = wrong })
    #expect(other.alreadyThere == 1 && other.corrected == 0, "\(other)")
    try await scene.signIn("eve@example.com", "user1password")
  }

  @Test func `members that no account has here are named, and cost no row`() async throws {
    let rows =
      #"{"users":[{"localId":"a","pasword":"x","lastRefreshAt":"2024-09-10T03:16:48Z"},{"localId":"b","Email":"b"}]}"#
    let result = try await scene.backend.importUsers(from: file("users.json", rows), options())
    #expect(result.imported == 2 && result.ignoredMembers == ["pasword", "Email"], "\(result)")
    let disabled = try file("disabled.json", #"{"users":[{"localId":"c","disabled":""}]}"#)
    #expect(
      try await scene.backend.importUsers(from: disabled, options()).refusals.map(\.reason) == [
        "disabled is not true or false"
      ])
  }

  @Test func `an account with two identities of one provider is refused, because one of them would be lost`()
    async throws
  {
    let identities = #"[{"providerId":"google.com","rawId":"1"},{"providerId":"google.com","rawId":"2"}]"#
    let users = try file("two.json", #"{"users":[{"localId":"a","providerUserInfo":\#(identities)}]}"#)
    let result = try await scene.backend.importUsers(from: users, options())
    #expect(result.refusals.map(\.uid) == ["a"] && result.refusals[0].reason.contains("two identities"), "\(result)")
  }

  @Test func `a bad row is named by its number, and costs no other`() async throws {
    try await scene.signUp("taken@example.com")
    let rows = [
      #"{"localId":"a","email":"a@example.com"}"#, "17", #"{"localId":"b","email":"nonsense"}"#,
      #"{"localId":"c","email":"taken@example.com"}"#, #"{"email":"no-identifier@example.com"}"#,
      #"{"localId":"d","createdAt":"yesterday"}"#, #"{"localId":"e" "email":"e@example.com"}"#,
      #"{"localId":"a","email":"other@example.com"}"#, #"{"localId":"f","mfaInfo":[{"totpInfo":{}}]}"#,
      #"{"localId":"g","providerUserInfo":[{"providerId":"google.com","rawId":"1"}]}"#,
      #"{"localId":"h","providerUserInfo":[{"providerId":"google.com","rawId":"1"}]}"#,
      #"{"localId":"i","phoneNumber":"12"}"#, #"{"localId":"j","disabled":"perhaps"}"#, #"{"localId":"z"}"#,
    ]
    let path = try file("users.json", #"{"users":[\#(rows.joined(separator: ","))]}"#)
    let refused = scene.folder.path + "/refused.json"
    let result = try await scene.backend.importUsers(from: path, options { $0.refusedFile = refused })
    #expect(result.imported == 3 && result.refused == 11, "\(result)")
    #expect(result.refusals.map(\.row) == [2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13])
    #expect(result.refusals.map(\.uid) == [nil, "b", "c", nil, "d", nil, "a", "f", "h", "i", "j"])
    #expect(result.refusals.allSatisfy { !$0.reason.isEmpty })
    // A refused account leaves nothing behind: neither a part of it nor its identity.
    await #expect(throws: AuthError.self) { try await scene.backend.account(.uid("h")) }
    #expect(try FileManager.default.attributesOfItem(atPath: refused)[.posixPermissions] as? Int == 0o600)
    let mended = try String(contentsOfFile: refused, encoding: .utf8)
      .replacing("nonsense", with: "b@example.com").replacing(#""e" "email""#, with: #""e","email""#)
    let next = try await scene.backend.importUsers(from: file("mended.json", mended), options())
    #expect(next.imported == 2 && next.refused == 9, "\(next)")
  }

  @Test(arguments: [
    // The quotes of a name are not doubled, as earlier versions of Firebase's tools wrote them: the flag is elsewhere.
    #"b,b@example.com,true,,,"Bob" Smith,,,,,,,,,,,,,,,,,,1,2,,true,"{""role"":""none""}","#,
    #"b,b@example.com,false,,,O'Neil, "Jr",,,,,,,,,,,,,,,,,,1,2,,true,,"#, "b", "some text, and more",
    // The file was cut.
    "b,b@example.com,false,,,,,,,,,,,,,,,,,,,,,1,2", "b,b@example.com,false,,,,,,,,,,,,,,,,,,,,,1,2,,",
  ])
  func `a row of another number of columns is no account`(row: String) async throws {
    let path = try file("users.csv", row + "\nc,c@example.com,false,,,,,,,,,,,,,,,,,,,,,1,2,,true,,\n")
    let result = try await scene.backend.importUsers(from: path, options())
    #expect(result.imported == 1 && result.refusals.map(\.row) == [1], "\(result)")
    #expect(result.refusals.first?.reason.contains("columns") == true, "\(result)")
    #expect(try await scene.backend.account(.uid("c")).isDisabled)
  }

  @Test func `the file of refused rows replaces none, and there is none without such rows`() async throws {
    let (good, bad) = (#"{"users":[{"localId":"a"}]}"#, #"{"users":[{"localId":"b","email":"nonsense"}]}"#)
    let mine = try file("mine.json", "mine")
    for text in [good, bad] {
      let path = try file("users.json", text)
      await expectRefusal(.invalidArgument) {
        try await scene.backend.importUsers(from: path, options { $0.refusedFile = mine })
      }
    }
    #expect(try String(contentsOfFile: mine, encoding: .utf8) == "mine")
    let new = scene.folder.path + "/new.json"
    _ = try await scene.backend.importUsers(from: file("users.json", good), options { $0.refusedFile = new })
    #expect(!FileManager.default.fileExists(atPath: new))
    _ = try await scene.backend.importUsers(from: file("users.json", bad), options { $0.refusedFile = new })
    #expect(FileManager.default.fileExists(atPath: new))
  }

  @Test func `a password without parameters refuses the import, and its file is not replaced`() async throws {
    let path = try file("users.json", Self.json)
    await expectRefusal(.invalidArgument) { try await scene.backend.importUsers(from: path) }
    await expectRefusal(.invalidArgument) {
      try await scene.backend.importUsers(from: path, options { $0.refusedFile = path })
    }
    await expectRefusal(.invalidArgument) { try await scene.backend.importUsers(from: scene.folder.path) }
    await expectRefusal(.invalidArgument) { try await scene.backend.importUsers(from: file("users.txt", "")) }
    await expectRefusal(.storeUnreadable) { try await scene.backend.importUsers(from: path + ".none.json") }
    await expectRefusal(.jsonMalformed) { try await scene.backend.importUsers(from: file("no.json", "{}")) }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == Self.json)
    #expect(try await scene.backend.accounts().isEmpty)
  }

  @Test func `a tenant's import is the tenant's`() async throws {
    _ = try await scene.backend.createTenant("t")
    let path = try file("users.csv", Self.csv)
    #expect(try await scene.backend.importUsers(from: path, options { $0.tenantID = "t" }).imported == 2)
    #expect(try await scene.backend.accounts(ofTenant: "t", after: nil, limit: 9).count == 2)
    let other = try await scene.backend.importUsers(from: path, options())
    #expect(other.refused == 2 && other.alreadyThere == 0, "the identifiers are the tenant's: \(other)")
    #expect(other.refusals.allSatisfy { $0.reason == "localId belongs to an account of another tenant" }, "\(other)")
    let exported = try await scene.backend.exportUsers(to: scene.folder.path + "/project.json")
    #expect(exported.users == 0 && exported.leftOutOfTenants == 2, "\(exported)")
    await #expect(throws: AuthError.self) {
      try await scene.backend.importUsers(from: path, options { $0.tenantID = "none" })
    }
  }

  @Test func `the progress of many rows comes in order, before the end, on the callback queue`() async throws {
    let rows = (0..<2750).map { #"{"localId":"u\#($0)","email":"user\#($0)@example.com"}"# }
    let path = try file("users.json", #"{"users":[\#(rows.joined(separator: ",\n"))]}"#)
    let key = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "mine")
    queue.setSpecific(key: key, value: true)
    var options = LocalOptions()
    (options.clocks, options.signing) = (scene.clock, .es256)
    let backend = LocalBackend(directory: scene.folder.home, options: options, callbackQueue: queue)
    let heard = Lock<[Int]>([])
    let result = await withCheckedContinuation { done in
      backend.importUsers(from: path) { progress in
        #expect(DispatchQueue.getSpecific(key: key) == true)
        heard.withLock { $0.append(progress.users) }
      } completion: { result in
        #expect(DispatchQueue.getSpecific(key: key) == true)
        heard.withLock { $0.append(-1) }
        done.resume(returning: result)
      }
    }
    #expect(try result.get().imported == 2750)
    #expect(heard.withLock { $0 } == [1000, 2000, 2750, -1])
    #expect(try await scene.backend.accounts(limit: 9999).count == 2750)
    let log = try String(contentsOfFile: scene.folder.home + "/audit/administration.jsonl", encoding: .utf8)
    #expect(log.split(separator: "\n").count { $0.contains(#""event":"accountCreated""#) } == 2750)
  }

  @Test func `an emulator's file is imported into an emulator's home, with its passwords`() async throws {
    let emulator = Scene { $0.acceptsUnverifiedIdentities = true }
    let row =
      #"{"localId":"eve","email":"eve@example.com","passwordHash":"fakeHash:salt=s:password=secret1","salt":"s"}"#
    let path = try file("accounts.json", #"{"kind":"identitytoolkit#DownloadAccountResponse","users":[\#(row)]}"#)
    #expect(try await emulator.backend.importUsers(from: path).imported == 1)
    #expect(try await emulator.signIn("eve@example.com", "secret1").localId == "eve")
    await expectRefusal(.invalidArgument) { try await scene.backend.importUsers(from: path) }
  }
}
