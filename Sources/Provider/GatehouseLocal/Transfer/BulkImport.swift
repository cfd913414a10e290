import GRDB
import GatehouseBase
import GatehouseSystem
import IdentityToolkit

/// An import of a file, in progress.
///
/// Each batch of rows is one transaction of the import's own connection: a killed import has whole batches, and the
/// next run finds them there. A row that is refused costs no other.
struct BulkImport {
  /// The number of rows in one transaction. Other callers' changes wait for one of them at a time.
  static let atOnce = 1000

  /// An account that was read, with its row.
  private typealias Drafted = (row: FileRow, uid: String?, draft: Result<ImportDraft, AuthError>)

  private let provider: Provider
  private let options: UserFileImportOptions
  private let format: UserFileFormat
  private let tenant: String
  private let hashes: HashImport?

  init(_ file: String, _ options: UserFileImportOptions, by provider: Provider) throws(AuthError) {
    self.provider = provider
    self.options = options
    format = try UserFileFormat.of(file, options.format)
    tenant = options.tenantID ?? ""
    if !tenant.isEmpty { try provider.tenants.require(tenant) }
    hashes = try options.hash?.hashes()
  }

  /// Imports the file.
  ///
  /// - Parameters:
  ///   - refused: called with each row that is refused, after its batch.
  ///   - progress: called after each batch.
  func run(
    _ path: String, refused: (UserFileRefusal) -> Void, progress: (UserFileProgress) -> Void
  ) throws(AuthError) -> UserFileImportResult {
    let file = try Self.open(path)
    let size = try attempting("read \(path.printable())") { () throws(SystemError) in try file.status().size }
    var refusedRows = try RefusedRows(options.refusedFile, format, beside: file)
    var rows = UserFileRows(format) { (offset, count) throws(AuthError) in
      do throws(SystemError) { return try file.read(at: offset, count: count) } catch {
        throw AuthError(.storeUnreadable, "\(path.printable()) cannot be read: \(error)")
      }
    }
    let connection = try provider.database.bulkConnection()
    defer { connection.close() }
    var result = UserFileImportResult()
    var count = 0
    var isEnd = false
    while !isEnd {
      let now = try provider.now()
      var batch: [Drafted] = []
      while batch.count < Self.atOnce {
        guard let row = try rows.next() else {
          isEnd = true
          break
        }
        batch.append(try drafted(row, at: now, noting: &result))
      }
      guard !batch.isEmpty else { break }
      let outcomes: [Result<ImportDraft.Outcome, AuthError>]
      do throws(AuthError) { outcomes = try connection.write { [batch] db in try add(batch, at: now, in: db) } } catch {
        try? refusedRows.finish()
        throw count == 0 ? error : AuthError(error.code, error.message + Self.keeps(count))
      }
      for (entry, outcome) in zip(batch, outcomes) {
        switch outcome {
        case .success(.added): result.imported += 1
        case .success(.alreadyThere): result.alreadyThere += 1
        case .success(.corrected):
          (result.alreadyThere, result.corrected) = (result.alreadyThere + 1, result.corrected + 1)
        case .failure(let error):
          let refusal = UserFileRefusal(row: entry.row.number, uid: entry.uid, reason: error.importMessage)
          result.refused += 1
          if result.refusals.count < UserFileImportResult.mostRefusals { result.refusals.append(refusal) }
          try refusedRows.add(entry.row)
          refused(refusal)
        }
      }
      count += batch.count
      progress(UserFileProgress(users: count, fraction: size > 0 ? min(Double(rows.offset) / Double(size), 1) : 1))
    }
    try refusedRows.finish()
    return result
  }

  private static func keeps(_ rows: Int) -> String {
    "; the \(rows) rows before are imported, but for those that were refused, and are recognized when the import runs "
      + "again"
  }

  private static func open(_ path: String) throws(AuthError) -> OpenFile {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw AuthError(.invalidArgument, "the file has no name") }
    do throws(SystemError) {
      let file = try OpenFile(path)
      if try file.status().kind == .file { return file }
    } catch { throw AuthError(.storeUnreadable, "\(path.printable()) cannot be read: \(error)") }
    throw AuthError(.invalidArgument, "\(path.printable()) is no plain file")
  }

  // MARK: Rows

  private func drafted(
    _ row: FileRow, at now: Moment, noting result: inout UserFileImportResult
  ) throws(AuthError) -> Drafted {
    let user: ImportedAccount
    var ignored: Set<String> = []
    do throws(AuthError) { user = try read(row, ignoring: &ignored) } catch {
      return (row, identifier(in: row), .failure(error))
    }
    for name in ignored where result.ignoredMembers.count < UserFileImportResult.mostIgnoredMembers {
      result.ignoredMembers.insert(name.printable(upTo: 64))
    }
    try requireParameters(of: user, row)
    let draft = Result { () throws(AuthError) in
      try ImportDraft(user, hashes, in: tenant, at: now, by: provider)
    }
    return (row, user.localId, draft)
  }

  /// Refuses the whole import if a password's parameters are not known: each account with a password would be refused.
  private func requireParameters(of user: ImportedAccount, _ row: FileRow) throws(AuthError) {
    guard hashes == nil, let hash = user.passwordHash?.revealed else { return }
    if provider.accounts.isEmulators, ReadablePassword.isReadable(hash) { return }
    throw AuthError(
      .invalidArgument,
      "row \(row.number) has the hash of a password, and the parameters of the file's hashes are needed to check it; "
        + "rows before it may have been imported, and are recognized when the import is run again",
      server: .missingHashAlgorithm)
  }

  /// The identifier in a row that is no account, so that its refusal names it; `nil` if it cannot be read either.
  private func identifier(in row: FileRow) -> String? {
    guard format == .json, row.fault == nil else { return nil }
    return (try? JSONObject(reading: row.bytes, limits: Self.limits))?["localId"]?.string
  }

  private static var limits: JSONLimits {
    JSONLimits(bytes: JSONRows.longest, depth: 32, members: 256, nameBytes: 1024)
  }

  private func read(_ row: FileRow, ignoring ignored: inout Set<String>) throws(AuthError) -> ImportedAccount {
    if let fault = row.fault { throw .ofImport(fault) }
    switch format {
    case .json:
      let object = try JSONObject(reading: row.bytes, limits: Self.limits)
      let user = try ImportedAccount(exported: object, ignoring: &ignored)
      if user.mfaInfo?.contains(where: { $0.phoneInfo == nil }) == true {
        throw .ofImport(
          "a second factor is no phone, and its secret is not in the file; the account can be imported without it, "
            + "if its entry of mfaInfo is removed")
      }
      return user
    case .csv:
      guard !row.bytes.contains(0), let text = String(validating: row.bytes, as: UTF8.self) else {
        throw .ofImport("it is not UTF-8, or contains a NUL")
      }
      guard text.isStreamSafe else { throw .ofImport("a character has more than 30 combining marks") }
      return try ImportedAccount(columns: CSVRow(row.bytes, from: 0).fields)
    }
  }

  // MARK: Accounts

  /// Adds the accounts of a batch.
  private func add(
    _ batch: [Drafted], at now: Moment, in db: Database
  ) throws -> [Result<ImportDraft.Outcome, AuthError>] {
    let (created, updated) = (AuditEvent(.accountCreated, at: now), AuditEvent(.accountUpdated, at: now))
    var events: [AuditEvent] = []
    var outcomes: [Result<ImportDraft.Outcome, AuthError>] = []
    for (_, _, draft) in batch {
      do {
        let draft = try draft.get()
        let outcome = try draft.add(at: now, in: db)
        switch outcome {
        case .added: events.append(AuditEvent(created, of: draft.account, changed: draft.names))
        case .corrected: events.append(AuditEvent(updated, of: draft.account, changed: ["password"]))
        case .alreadyThere: break
        }
        outcomes.append(.success(outcome))
      } catch let error as AuthError where error.code != .providerUnavailable {
        outcomes.append(.failure(error))
      }
    }
    try provider.audit.record(events, at: now)
    return outcomes
  }
}

extension ImportDraft {
  /// The outcome of a row.
  enum Outcome: Sendable, Equatable {
    case added
    case alreadyThere
    /// The account was there already, and its password has got the parameters of this import.
    case corrected
  }

  /// Adds the account, unless it is there already.
  func add(at now: Moment, in db: Database) throws -> Outcome {
    guard !identities.isEmpty || !factors.isEmpty else { return try insert(in: db) }
    var outcome = Outcome.alreadyThere
    try db.inSavepoint {
      outcome = try insert(in: db)
      guard outcome == .added else { return .commit }
      try addIdentitiesAndFactors(at: now, in: db)
      return .commit
    }
    return outcome
  }

  private func insert(in db: Database) throws -> Outcome {
    if try account.insertIfNew(in: db) { return .added }
    if let old = try StoredAccount.find(uid: account.uid, in: db) {
      guard old.tenant.isExactly(account.tenant) else {
        throw AuthError.ofImport(
          "localId belongs to an account of \(old.tenant.isEmpty ? "the project itself" : "another tenant")")
      }
      guard isSame(as: old) else {
        throw AuthError.ofImport("localId belongs to another account here, with another address and time of creation")
      }
      return try correct(old, in: db) ? .corrected : .alreadyThere
    }
    if let email = account.email, try StoredAccount.find(EmailAddress(email), of: account.tenant, in: db) != nil {
      throw AuthError.ofImport(.addressIsTaken)
    }
    throw AuthError.ofImport(.phoneIsTaken)
  }

  /// Whether an account with this identifier is the row's own. Its user may have changed the address since, so the time
  /// of its creation counts as well, if the row has one.
  private func isSame(as old: StoredAccount) -> Bool {
    if hasCreationTime, old.createdAt == account.createdAt { return true }
    return account.email.map { old.email?.isExactly($0) ?? false } ?? (!hasCreationTime && old.email == nil)
  }

  /// Gives the same password the parameters of this import, if an earlier import had other ones: with a wrong key no
  /// user could sign in. After a sign-in or a change the password is no imported one any more, and stays.
  ///
  /// - Returns: Whether the parameters were others.
  private func correct(_ old: StoredAccount, in db: Database) throws -> Bool {
    guard let text = account.password, let former = old.password, !former.isExactly(text),
      let hash = try ImportedHash(text: text), let formerHash = try ImportedHash(text: former),
      hash.way != formerHash.way, hash.hash == formerHash.hash, hash.ownSalt == formerHash.ownSalt
    else { return false }
    try db.change("UPDATE account SET password = ? WHERE uid = ?", [text, old.uid])
    return true
  }
}

/// The rows that an import refuses, as a file of the same format. It replaces no file, and there is none without such
/// rows.
private struct RefusedRows: ~Copyable {
  private var file: StreamedFile?
  private let format: UserFileFormat
  private var count = 0

  /// - Parameter source: the imported file, which must be another one.
  init(_ path: String?, _ format: UserFileFormat, beside source: borrowing OpenFile) throws(AuthError) {
    self.format = format
    guard let path else {
      file = nil
      return
    }
    if let status = try? FileStatus.at(path, followingLink: true), let own = try? source.status(),
      status.isSame(as: own)
    {
      throw AuthError(.invalidArgument, "the refused rows cannot replace the file that is imported; name another file")
    }
    file = try StreamedFile(path, replacing: false)
    if format == .json { try file?.write("{\"users\": [".utf8) }
  }

  mutating func add(_ row: FileRow) throws(AuthError) {
    guard !row.bytes.isEmpty else { return }
    if format == .json {
      try file?.write((count == 0 ? "\n" : ",\n").utf8)
      try file?.write(row.bytes)
    } else {
      try file?.write(row.bytes + [UInt8(ascii: "\n")])
    }
    count += 1
  }

  mutating func finish() throws(AuthError) {
    guard count > 0 else { return }
    if format == .json { try file?.write("\n]}\n".utf8) }
    try file?.finish(replacing: false)
  }
}

extension UserFileFormat {
  /// The given format, or that of the file's name.
  static func of(_ file: String, _ given: UserFileFormat?) throws(AuthError) -> UserFileFormat {
    guard let format = given ?? UserFileFormat(file: file) else {
      throw AuthError(
        .invalidArgument, "the name of \(file.printable()) ends with neither .json nor .csv; name the format")
    }
    return format
  }
}
