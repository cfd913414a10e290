package import GatehouseBase
package import GatehouseLocal
import IdentityToolkit

/// The accounts and the configuration of an emulator's project, as Firebase's emulator exports them.
package struct EmulatorData: Sendable {
  /// The accounts, as in `accounts.json`.
  private let users: [JSONValue]
  /// `config.json`.
  package let configuration: JSONObject

  /// Reads the two files.
  ///
  /// - Parameter configuration: `config.json`; `nil` if it does not exist.
  /// - Throws: `.jsonMalformed` or `.invalidArgument` for a file that cannot be read as a whole. An account that cannot
  ///   be read is left out later, and the others are not.
  package init(accounts: [UInt8], configuration: [UInt8]?) throws(AuthError) {
    let file = try JSONObject(reading: accounts, limits: Self.limits(accounts))
    let users = file["users"] ?? []
    guard let users = users.array else { throw AuthError(.invalidArgument, "\"users\" is not an array of accounts") }
    self.users = users
    self.configuration =
      try configuration.map { bytes throws(AuthError) in try JSONObject(reading: bytes, limits: Self.limits(bytes)) }
      ?? [:]
  }

  /// Returns the data of a provider's project, without that of its tenants, which Firebase's emulator does not export
  /// either.
  package init(of provider: LocalBackend) async throws(AuthError) {
    var call = ListAccounts()
    call.maxResults = DecimalString(-1)
    let found = try await provider.answer(call).users ?? []
    users = try found.map { account throws(AuthError) in .object(try typed { try JSONObject(encoding: account) }) }
    let document = try await provider.configuration()
    let isProtected = document["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] ?? false
    configuration = [
      "signIn": ["allowDuplicateEmails": false], "emailPrivacyConfig": ["enableImprovedEmailPrivacy": isProtected],
    ]
  }

  /// `accounts.json`.
  package var accounts: JSONObject {
    ["kind": "identitytoolkit#DownloadAccountResponse", "users": .array(users)]
  }

  /// The number of accounts.
  package var count: Int { users.count }

  /// Replaces the accounts of an emulator's project, without those of its tenants, with these.
  ///
  /// - Returns: A sentence for each account, or part of one, that was left out.
  package func replaceAccounts(of provider: LocalBackend) async throws(AuthError) -> [String] {
    let drafts = users.map(ImportDraft.init)
    var notes = drafts.flatMap(\.notes)
    try await provider.deleteAccounts(ofTenant: "")
    if !drafts.isEmpty {
      var call = ImportAccounts(users: drafts.map(\.account))
      // The last account of an identifier counts, because one that is there twice must not cost all others.
      call.allowOverwrite = true
      for fault in try await provider.answer(call).error ?? [] {
        notes.append("\(drafts[fault.index].name) was left out: \(fault.message)")
      }
    }
    if configuration["signIn"]?["allowDuplicateEmails"]?.bool == true {
      notes.append("signIn.allowDuplicateEmails of config.json was left out: an address has one account here")
    }
    if let isProtected = configuration["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool {
      try await provider.configure(
        ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": .bool(isProtected)]],
        mask: ["emailPrivacyConfig.enableImprovedEmailPrivacy"])
    }
    return notes
  }

  /// The files are the owner's own, and may be as long as they are.
  private static func limits(_ file: [UInt8]) -> JSONLimits {
    JSONLimits(bytes: file.count, depth: 64, members: 1024, nameBytes: 1024)
  }
}

/// An account of the file, without the parts that no account here can have.
private struct ImportDraft {
  let account: ImportedAccount
  /// The account's place in the file and its identifier.
  let name: String
  private(set) var notes: [String] = []

  init(_ user: JSONValue) {
    name = "the account \(user["localId"]?.string.map { $0.printable() } ?? "without a localId")"
    var user = user.object ?? [:]
    var notes: [String] = []
    if let hash = user["passwordHash"]?.string, !hash.isEmpty, !hash.utf8.starts(with: "fakeHash:salt=".utf8) {
      notes.append("the password of \(name) was left out: it is a hash, and its algorithm is unknown")
      (user["passwordHash"], user["salt"]) = (nil, nil)
    }
    if let factors = user["mfaInfo"]?.array {
      let phones = factors.filter { $0["phoneInfo"]?.string != nil }
      if phones.count < factors.count {
        notes.append("a second factor of \(name) was left out: it is not a phone, and its secret is not in the file")
      }
      user["mfaInfo"] = .array(phones)
    }
    do throws(AuthError) {
      var read = try ImportedAccount(exported: user)
      read.providerUserInfo?.removeAll { $0.rawId == nil }
      account = read
    } catch { account = ImportedAccount(fault: error.message) }
    self.notes = notes
  }
}
