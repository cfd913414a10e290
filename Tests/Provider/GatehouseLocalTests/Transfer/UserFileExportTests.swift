import Foundation
import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// Accounts are exported to files that Firebase's tools read, and this provider too.
struct UserFileExportTests {
  private let scene = Scene()

  private func path(_ name: String) -> String { scene.folder.path + "/" + name }

  private func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

  private func hash(_ file: String) throws -> UserFileHash {
    try UserFileHash(reading: Data(contentsOf: URL(filePath: path(file + ".hash-config"))))
  }

  @Test(arguments: UserFileFormat.allCases)
  func `an export is imported again with its passwords`(format: UserFileFormat) async throws {
    let signedUp = try await scene.signUp("ada@example.com", "correct horse", displayName: " \"A\",\n\\")
    var edit = AccountEdit()
    edit.claims = ["role": "a\"b\\", "text": "x,y"]
    var identity = Account.ProviderUserInfo(providerId: "apple.com")
    (identity.rawId, identity.displayName) = ("a1", "A, B")
    edit.identity = identity
    _ = try await scene.backend.updateAccount(.uid(signedUp.localId), edit)
    _ = try await scene.signUpAnonymously()
    let file = "users.\(format.rawValue)"
    let result = try await scene.backend.exportUsers(to: path(file))
    #expect(
      result.users == 2 && result.files.count == 1
        && "\(result.files[0].hash.map { "\($0)" } ?? "")" == "STANDARD_SCRYPT")
    for name in [file, file + ".hash-config"] {
      #expect(try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int == 0o600)
    }
    let other = Scene()
    var options = UserFileImportOptions()
    options.hash = try hash(file)
    let read = try await other.backend.importUsers(from: path(file), options)
    #expect(read.imported == 2 && read.refused == 0, "\(read)")
    let (before, after) = try await (scene.backend.accounts(), other.backend.accounts())
    #expect(before.map(Plain.init) == after.map(Plain.init))
    #expect(try await other.signIn().localId == signedUp.localId)
    // All of it is there already in the same home.
    #expect(try await scene.backend.importUsers(from: path(file), options).alreadyThere == 2)
  }

  private struct Plain: Equatable {
    let uid: String, email: String?, name: String?, methods: [String], claims: JSONObject, created: Int64

    init(_ record: AccountRecord) {
      (uid, email, name) = (record.uid, record.email, record.displayName)
      (methods, claims, created) = (record.signInMethods, record.claims, record.createdAt)
    }
  }

  @Test(arguments: Making.allCases)
  func `imported hashes are exported with their salt and parameters`(making: Making) async throws {
    var user = ImportedAccount(localId: "ada")
    user.email = "ada@example.com"
    let call = making.call(user)
    #expect(try await scene.backend.answer(call).error == nil)
    _ = try await scene.backend.exportUsers(to: path("users.json"))
    let exported = try JSONObject(parsing: text("users.json").utf8)["users"]?.array?.first
    if call.hashAlgorithm == "SCRYPT" {
      #expect(exported?["salt"]?.string == call.users[0].salt?.revealed, "without the separator")
      #expect(exported?["passwordHash"]?.string == call.users[0].passwordHash?.revealed)
      #expect(try text("users.json.hash-config").contains("base64_salt_separator: Bw==,"))
    }
    let other = Scene()
    var options = UserFileImportOptions()
    options.hash = try hash("users.json")
    #expect(try await other.backend.importUsers(from: path("users.json"), options).imported == 1)
    #expect(try await other.signIn("ada@example.com", making.password).localId == "ada")
  }

  @Test func `passwords of other parameters are in files of their own`() async throws {
    for (index, making) in [Making.firebase, .bcrypt, .firebase].enumerated() {
      var user = ImportedAccount(localId: "\(index)")
      user.email = "user\(index)@example.com"
      #expect(try await scene.backend.answer(making.call(user)).error == nil)
    }
    _ = try await scene.signUp()
    let result = try await scene.backend.exportUsers(to: path("users.csv"))
    #expect(result.files.map { $0.hash.map { "\($0)" } } == ["SCRYPT", "BCRYPT", "STANDARD_SCRYPT"])
    #expect(result.files.map(\.users) == [2, 1, 1] && result.users == 4)
    #expect(result.files.map(\.path) == ["users.csv", "users.2.csv", "users.3.csv"].map(path))
    let other = Scene()
    for file in ["users.csv", "users.2.csv", "users.3.csv"] {
      var options = UserFileImportOptions()
      options.hash = try hash(file)
      #expect(try await other.backend.importUsers(from: path(file), options).refused == 0)
    }
    #expect(try await other.backend.accounts().count == 4)
    #expect(try await other.signIn("user1@example.com", Making.bcrypt.password).localId == "1")
  }

  @Test func `the columns and members are those of Firebase's tools`() async throws {
    var user = ImportedAccount(localId: "ada")
    (user.email, user.emailVerified, user.phoneNumber) = ("ada@example.com", true, "+12025550123")
    (user.createdAt, user.lastLoginAt) = (DecimalString(1000), DecimalString(2000))
    user.customAttributes = #"{"a":1}"#
    user.mfaInfo = [CreateAccount.PhoneFactor(phoneInfo: "+12025550124")]
    user.providerUserInfo = ["github.com", "oidc.own"].map { name in
      var info = Account.ProviderUserInfo(providerId: name)
      info.rawId = "x1"
      return info
    }
    #expect(try await scene.backend.answer(ImportAccounts(users: [user])).error == nil)
    let csv = try await scene.backend.exportUsers(to: path("users.csv"))
    #expect(csv.leftOutIdentities == 1 && csv.leftOutFactors == 1 && csv.files[0].hashFile == nil)
    let fields = try text("users.csv").dropLast().split(separator: ",", omittingEmptySubsequences: false)
    #expect(fields.count == 52 && fields[19] == "x1" && fields[23...26] == ["1000", "2000", "+12025550123", "false"])
    #expect(fields[27] == #""{""a"":1}""#)
    let json = try await scene.backend.exportUsers(to: path("users.json"))
    #expect(json.leftOutIdentities == 1 && json.leftOutFactors == 0)
    let row = try #require(try JSONObject(parsing: text("users.json").utf8)["users"]?.array?.first?.object)
    #expect(
      row.names == [
        "localId", "email", "emailVerified", "lastSignedInAt", "createdAt", "phoneNumber", "disabled",
        "customAttributes", "mfaInfo", "providerUserInfo",
      ])
  }

  @Test func `an export replaces no file unasked, and writes none into a provider`() async throws {
    try await scene.signUp()
    try Data("mine".utf8).write(to: URL(filePath: path("users.json")))
    await expectRefusal(.invalidArgument) { try await scene.backend.exportUsers(to: path("users.json")) }
    #expect(try text("users.json") == "mine")
    await expectRefusal(.invalidArgument) {
      try await scene.backend.exportUsers(to: scene.folder.home + "/users.json")
    }
    await expectRefusal(.invalidArgument) { try await scene.backend.exportUsers(to: path("users")) }
    await expectRefusal(.invalidArgument) { try await scene.backend.exportUsers(to: path("none/users.json")) }
    var options = UserFileExportOptions()
    options.replacesFiles = true
    #expect(try await scene.backend.exportUsers(to: path("users.json"), options).users == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: scene.folder.path)
    #expect(!names.contains { $0.contains(".tmp-") }, "\(names)")
    _ = try await scene.backend.createTenant("t")
    options.tenantID = "t"
    // One with more sets of parameters has left these. The last two are no files of an export.
    let earlier = ["users.2.json", "users.2.json.hash-config", "users.4.json", "users.40.json", "users.csv"]
    for name in earlier { try Data("earlier".utf8).write(to: URL(filePath: path(name))) }
    let result = try await scene.backend.exportUsers(to: path("users.json"), options)
    #expect(result.users == 0)
    #expect(try JSONObject(parsing: text("users.json").utf8)["users"]?.array?.isEmpty == true)
    #expect(result.removedFiles == (["users.json.hash-config"] + earlier.prefix(3)).map(path))
    let left = try FileManager.default.contentsOfDirectory(atPath: scene.folder.path)
    #expect(Set(left).isDisjoint(with: result.removedFiles.map { URL(filePath: $0).lastPathComponent }))
    #expect(Set(left).isSuperset(of: earlier.suffix(2)))
  }
}
