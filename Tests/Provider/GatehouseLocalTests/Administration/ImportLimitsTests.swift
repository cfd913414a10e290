import Foundation
import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// The lengths of everything that an import takes: those of the calls that set the same.
struct ImportLimitsTests {
  private let scene = Scene()

  /// An account with a value for every text.
  private static let whole = #"""
    {"localId":"ada","email":"ada@example.com","emailVerified":true,"displayName":"Ada","photoUrl":"https://a.test/a",
     "phoneNumber":"+12025550123","passwordHash":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","salt":"c2FsdA==",
     "rawPassword":"correct horse","customAttributes":"{\"level\":3}","createdAt":"1500000000000",
     "lastLoginAt":"1600000000000","validSince":"1500000000","tenantId":"",
     "providerUserInfo":[{"providerId":"google.com","rawId":"g1","federatedId":"g1","email":"ada@example.com",
       "displayName":"Ada","photoUrl":"https://a.test/b","phoneNumber":"+12025550123"}],
     "mfaInfo":[{"mfaEnrollmentId":"f1","displayName":"phone","phoneInfo":"+12025550124",
       "enrolledAt":"2024-09-10T03:16:48Z"}]}
    """#

  /// The paths of all texts of a value.
  private static func texts(in value: Any, at path: [String] = []) -> [[String]] {
    if let object = value as? [String: Any] {
      return object.sorted { $0.key < $1.key }.flatMap { texts(in: $0.value, at: path + [$0.key]) }
    }
    if let array = value as? [Any] { return array.enumerated().flatMap { texts(in: $1, at: path + ["\($0)"]) } }
    return value is String ? [path] : []
  }

  private static func replacing(_ path: ArraySlice<String>, in value: Any, _ text: String) -> Any {
    guard let step = path.first else { return text }
    if var object = value as? [String: Any] {
      object[step] = object[step].map { replacing(path.dropFirst(), in: $0, text) }
      return object
    }
    if var array = value as? [Any], let index = Int(step) {
      array[index] = replacing(path.dropFirst(), in: array[index], text)
      return array
    }
    return value
  }

  private static func object() throws -> Any { try JSONSerialization.jsonObject(with: Data(whole.utf8)) }

  private static func account(_ path: [String] = [], _ text: String = "") throws -> ImportedAccount {
    let changed = path.isEmpty ? try object() : replacing(path[...], in: try object(), text)
    return try JSONDecoder().decode(ImportedAccount.self, from: JSONSerialization.data(withJSONObject: changed))
  }

  private static func call(_ user: ImportedAccount) -> ImportAccounts {
    var call = ImportAccounts(users: [user])
    (call.hashAlgorithm, call.dkLen) = ("STANDARD_SCRYPT", 32)
    (call.cpuMemCost, call.blockSize, call.parallelization) = (16, 1, 1)
    return call
  }

  /// Whether the account was imported.
  private func imports(_ path: [String], _ text: String) async throws -> Bool {
    let user = try Self.account(path, text)
    let isThere = try await scene.backend.answer(Self.call(user)).error == nil
    if isThere, let uid = user.localId { _ = try await scene.backend.answer(DeleteAccount(localId: uid)) }
    return isThere
  }

  @Test func `the account with every text is imported, and has every member that holds a text`() async throws {
    #expect(try await scene.backend.answer(Self.call(Self.account())).error == nil)
    let known = Set(Self.texts(in: try Self.object()).compactMap { $0.last })
    for members in [
      Mirror(reflecting: ImportedAccount(localId: "")), Mirror(reflecting: Account.ProviderUserInfo(providerId: "")),
      Mirror(reflecting: CreateAccount.PhoneFactor(phoneInfo: "")),
    ] {
      for (name, value) in members.children where "\(type(of: value))".contains(/String|Secret|Decimal/) {
        #expect(known.contains(name ?? "") || name == "fault", "\(name ?? "") has no value in the table")
      }
    }
  }

  @Test(arguments: [100_000, 500_000])
  func `no text of an import is stored that is longer than any other call takes`(_ length: Int) async throws {
    for path in Self.texts(in: try Self.object()) {
      for first in ["a", "ada@", "https://", "+1", #"{"a":""#] {
        let end = first == "ada@" ? ".test" : first == #"{"a":""# ? #""}"# : ""
        let user = try? Self.account(path, first + String(repeating: "1", count: length) + end)
        guard let user else { continue }  // a time that is none
        let faults = try await scene.backend.answer(Self.call(user)).error ?? []
        let stored = try await scene.backend.answer(ListAccounts()).users ?? []
        #expect(try JSONEncoder().encode(stored).count < 8000, "\(path.joined(separator: ".")): \(first)…")
        #expect(faults.allSatisfy { $0.message.utf8.count < 1000 }, "the refusal does not repeat it")
        for account in stored { _ = try await scene.backend.answer(DeleteAccount(localId: account.localId)) }
      }
    }
  }

  @Test(
    arguments: [
      ("localId", 128, "", ""), ("email", 256, "", "@example.com"), ("displayName", 256, "", ""),
      ("photoUrl", 2048, "https://", ""), ("providerUserInfo.0.providerId", 64, "oidc.", ""),
      ("providerUserInfo.0.rawId", 255, "", ""), ("providerUserInfo.0.email", 256, "", "@example.com"),
      ("providerUserInfo.0.displayName", 256, "", ""), ("providerUserInfo.0.photoUrl", 2048, "https://", ""),
      ("mfaInfo.0.mfaEnrollmentId", 128, "", ""), ("mfaInfo.0.displayName", 256, "", ""),
    ])
  func `a text has the limit that it has in other calls`(
    _ path: String, limit: Int, start: String, end: String
  ) async throws {
    let path = path.split(separator: ".").map(String.init)
    func text(_ length: Int) -> String {
      start + String(repeating: "a", count: length - start.utf8.count - end.utf8.count) + end
    }
    let (fits, isTooLong) = (try await imports(path, text(limit)), try await !imports(path, text(limit + 1)))
    #expect(fits && isTooLong, "\(limit) bytes")
  }

  @Test func `a name has 256 characters, of any language`() async throws {
    for (letter, count) in [("漢", 256), ("😀", 256), ("é", 256)] {
      let name = String(repeating: letter, count: count)
      #expect(try await imports(["displayName"], name), "\(letter)")
      #expect(try await !imports(["displayName"], name + "a"), "\(letter)")
    }
  }

  @Test func `an administrator's link and a file have the same limits`() async throws {
    let user = try await scene.signUp()
    for (path, value) in [("providerId", 65), ("rawId", 256), ("email", 257), ("displayName", 257), ("photoUrl", 2049)]
    {
      let text = String(repeating: "a", count: value)
      var account = try Self.account(["providerUserInfo", "0", path], text)
      var update = UpdateAccount(localId: user.localId)
      update.linkProviderUserInfo = account.providerUserInfo?[0]
      let linked = try? await scene.backend.answer(update)
      #expect(linked == nil, "\(path)")
      (account.rawPassword, account.passwordHash) = (nil, nil)
      let file = scene.folder.path + "/\(path).json"
      let row = Self.replacing(["providerUserInfo", "0", path], in: try Self.object(), text)
      try JSONSerialization.data(withJSONObject: ["users": [row]]).write(to: URL(filePath: file))
      var options = UserFileImportOptions()
      options.hash = try UserFileHash(
        reading:
          "hash_config { algorithm: STANDARD_SCRYPT, mem_cost: 16, block_size: 1, parallelization: 1, dk_len: 32 }"
          .utf8)
      let result = try await scene.backend.importUsers(from: file, options)
      #expect(result.refused == 1 && result.imported == 0, "\(path): \(result)")
    }
  }
}
