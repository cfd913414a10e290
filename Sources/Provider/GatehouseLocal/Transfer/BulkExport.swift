import GRDB
import GatehouseBase
import IdentityToolkit

/// An export to files, in progress.
///
/// The accounts are those of one moment: they are read in one snapshot of the export's own connection. The memory holds
/// one account and the buffers of the files.
struct BulkExport {
  /// The maximum number of sets of parameters of password hashes, each of which has a file.
  private static let mostFiles = 32
  /// The number of accounts between two reports.
  private static let atOnce = 1000

  private let provider: Provider
  private let options: UserFileExportOptions
  private let path: String
  private let format: UserFileFormat
  private let tenant: String
  private var result = UserFileExportResult()
  private var parts: [Part] = []

  /// One file, and the parameters of its password hashes, which the first password decides.
  private final class Part {
    var file: StreamedFile
    var hash: UserFileHash?
    var users = 0
    /// Whether the passwords are those of an emulator, which have no parameters.
    var isReadable = false

    init(_ file: consuming StreamedFile) { self.file = file }

    var hasPasswords: Bool { hash != nil || isReadable }
  }

  init(_ path: String, _ options: UserFileExportOptions, by provider: Provider) throws(AuthError) {
    self.provider = provider
    self.options = options
    self.path = path
    format = try UserFileFormat.of(path, options.format)
    tenant = options.tenantID ?? ""
    if !tenant.isEmpty { try provider.tenants.require(tenant) }
    try BackupTarget(path).check(outside: provider.store.home)
  }

  /// Exports the accounts.
  ///
  /// - Parameter progress: called from time to time.
  consuming func run(progress: (UserFileProgress) -> Void) throws(AuthError) -> UserFileExportResult {
    try begin(nil)
    let connection = try provider.database.bulkConnection()
    defer { connection.close() }
    try connection.read { db in
      let all = try Int.fetchOne(db, sql: "SELECT count(*) FROM account WHERE tenant = ?", arguments: [tenant]) ?? 0
      if tenant.isEmpty {
        let others = "SELECT count(*) FROM account WHERE tenant <> ''"
        result.leftOutOfTenants = try Int.fetchOne(db, sql: others) ?? 0
      }
      let rows = try StatementRow.fetchCursor(
        db, sql: "SELECT \(StoredAccount.columns) FROM account WHERE tenant = ? ORDER BY uid", arguments: [tenant])
      while let row = try rows.next() {
        let account = try StoredAccount(columns: row, from: 0)
        guard try write(account, in: db), result.users.isMultiple(of: Self.atOnce) else { continue }
        progress(UserFileProgress(users: result.users, fraction: min(Double(result.users) / Double(max(all, 1)), 1)))
      }
    }
    // Before a file has its name.
    let now = try provider.now()
    var event = AuditEvent.given(.accountsExported, result.users, of: tenant, at: now)
    event.includesPasswordHashes()
    try provider.audit.record(event, at: now)
    for part in parts { try finish(part) }
    if options.replacesFiles { try removeEarlier() }
    progress(UserFileProgress(users: result.users, fraction: 1))
    return result
  }

  /// Writes an account, and returns whether the format can hold it.
  private mutating func write(_ account: StoredAccount, in db: Database) throws -> Bool {
    let password = try password(of: account)
    var user = ImportedAccount(localId: account.uid)
    user.email = account.email
    user.emailVerified = account.emailVerified
    user.passwordHash = password?.hash
    user.salt = password?.salt
    user.displayName = account.displayName
    user.photoUrl = account.photoURL
    user.createdAt = DecimalString(account.createdAt)
    user.lastLoginAt = account.lastLoginAt == 0 ? nil : DecimalString(account.lastLoginAt)
    user.phoneNumber = account.phoneNumber
    user.disabled = account.disabled
    user.customAttributes = account.claims
    let identities = try StoredIdentity.all(of: account.uid, in: db).map(\.info)
    user.providerUserInfo = identities.filter { info in
      ImportedAccount.columns.contains { $0.provider.isExactly(info.providerId) }
    }
    let factors = try StoredSecondFactor.all(of: account.uid, in: db)
    let phones = format == .json ? factors.filter { $0.kind == StoredSecondFactor.phone } : []
    user.mfaInfo = phones.map { factor in
      let enrolled = Account.MfaEnrollment(factor.info(isMasked: false))
      var phone = CreateAccount.PhoneFactor(phoneInfo: factor.phoneNumber ?? "")
      (phone.mfaEnrollmentId, phone.displayName) = (enrolled.mfaEnrollmentId, enrolled.displayName)
      phone.enrolledAt = enrolled.enrolledAt
      return phone
    }
    let bytes: [UInt8]
    do throws(AuthError) {
      bytes = try format == .json ? user.exported.serialized() : Array(user.exportedRow().utf8)
    } catch {
      refuse(account, error.message)
      return false
    }
    let part = try part(for: password)
    if format == .json, part.users > 0 { try part.file.write(",\n".utf8) }
    try part.file.write(bytes)
    part.users += 1
    result.users += 1
    result.leftOutIdentities += identities.count - (user.providerUserInfo?.count ?? 0)
    result.leftOutFactors += factors.count - phones.count
    return true
  }

  /// Leaves an account out: one odd account must not cost the others.
  private mutating func refuse(_ account: StoredAccount, _ reason: String) {
    result.refused += 1
    guard result.refusals.count < UserFileExportResult.mostRefusals else { return }
    let row = result.users + result.refused
    result.refusals.append(UserFileRefusal(row: row, uid: account.uid, reason: reason))
  }

  // MARK: Files

  /// The file for an account with this password. The first password decides the parameters of the first file.
  private mutating func part(for password: FilePassword?) throws(AuthError) -> Part {
    guard let password else { return parts[0] }
    if let part = parts.first(where: { $0.hasPasswords && $0.hash == password.parameters }) { return part }
    if parts[0].hasPasswords { try begin(password) }
    let part = parts[parts.count - 1]
    part.hash = password.parameters
    part.isReadable = password.parameters == nil
    return part
  }

  private mutating func begin(_ password: FilePassword?) throws(AuthError) {
    guard parts.count < Self.mostFiles else {
      throw AuthError(
        .invalidArgument,
        "the passwords have more than \(Self.mostFiles) sets of parameters, each of which needs a file")
    }
    let file = try StreamedFile(name(parts.count + 1), replacing: options.replacesFiles)
    parts.append(Part(file))
    if format == .json { try parts[parts.count - 1].file.write("{\"users\": [\n".utf8) }
  }

  /// The name of a file: `users.json`, `users.2.json` and so on.
  private func name(_ number: Int) -> String {
    guard number > 1 else { return path }
    let ending = ".\(format.rawValue)"
    let isNamed = path.lowercased().hasSuffix(ending)
    return "\(isNamed ? String(path.dropLast(ending.count)) : path).\(number)\(isNamed ? ending : "")"
  }

  private mutating func finish(_ part: Part) throws(AuthError) {
    if format == .json { try part.file.write("\n]}\n".utf8) }
    var hashFile: String?
    if let hash = part.hash {
      let path = "\(part.file.path).hash-config"
      var file = try StreamedFile(path, replacing: options.replacesFiles)
      try file.write(hash.text.utf8)
      try file.finish(replacing: options.replacesFiles)
      hashFile = path
    }
    try part.file.finish(replacing: options.replacesFiles)
    result.files.append(.init(path: part.file.path, users: part.users, hash: part.hash, hashFile: hashFile))
  }
}

extension BulkExport {
  /// Removes the files that an earlier export has left beside the new ones. An import of all files would bring back the
  /// accounts of that time.
  private mutating func removeEarlier() throws(AuthError) {
    var earlier = parts.filter { $0.hash == nil }.map { "\($0.file.path).hash-config" }
    earlier += (parts.count..<Self.mostFiles).map { name($0 + 1) }.flatMap { [$0, "\($0).hash-config"] }
    for path in earlier where try StreamedFile.remove(path) { result.removedFiles.append(path) }
  }
}

/// A password's hash and salt as a file has them, with their parameters.
struct FilePassword: Sendable {
  let hash: Secret
  let salt: Secret?
  /// `nil` for a password that can be read, in the form of Firebase's emulator.
  let parameters: UserFileHash?
}

extension BulkExport {
  /// Returns an account's password in the form of a file.
  private func password(of account: StoredAccount) throws(AuthError) -> FilePassword? {
    guard let password = account.password else { return nil }
    if provider.accounts.isEmulators, let readable = ReadablePassword(text: password) {
      return FilePassword(hash: Secret(readable.text), salt: Secret(readable.salt), parameters: nil)
    }
    if let imported = try ImportedHash(text: password) {
      return FilePassword(
        hash: Secret(Base64.encode(imported.hash)), salt: Secret(Base64.encode(imported.ownSalt)),
        parameters: UserFileHash(of: imported))
    }
    let own = try PasswordHash(text: password)
    return FilePassword(
      hash: Secret(Base64.encode(own.hash)), salt: Secret(Base64.encode(own.salt)), parameters: UserFileHash(of: own))
  }
}
