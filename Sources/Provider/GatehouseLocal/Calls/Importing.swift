import GRDB
import GatehouseBase
import IdentityToolkit

// The import of accounts. An error that concerns all accounts refuses the call; an error of one account only affects
// that account.

extension ImportAccounts: LocalCall, HashingCall {
  /// The number of accounts in one transaction, limited so that others need not wait for all of them.
  private static let atOnce = 100
  private typealias Drafted = (Int, Result<ImportDraft, AuthError>)

  func answer(by provider: Provider) throws(AuthError) -> Response {
    guard !users.isEmpty else { throw AuthError(server: .missingUserAccount) }
    // Firebase's emulator is sent a whole export at once.
    guard users.count <= Self.most || provider.options.isEmulator else {
      throw AuthError(
        .invalidArgument, "a call imports at most \(Self.most) accounts", server: .invalidArgument)
    }
    let needsParameters = users.lazy.compactMap(\.passwordHash).contains { hash in
      !provider.isEmulators || !ReadablePassword.isReadable(hash.revealed)
    }
    let hashes = try needsParameters ? HashImport(self) : nil
    try requireDistinct()
    let now = try provider.now()
    var faults: [Fault] = []
    for start in stride(from: 0, to: users.count, by: Self.atOnce) {
      // Reading and checking happens outside the transaction.
      let drafts = users[start..<min(start + Self.atOnce, users.count)].indices.map { index -> Drafted in
        let draft = Result { () throws(AuthError) in
          try ImportDraft(users[index], hashes, in: tenant, at: now, by: provider)
        }
        return (index, draft)
      }
      faults += try provider.database.write { db in
        var faults: [Fault] = []
        var events: [AuditEvent] = []
        for (index, draft) in drafts {
          do {
            let draft = try draft.get()
            try db.inSavepoint {
              try draft.store(overwriting: allowOverwrite ?? false, at: now, in: db)
              return .commit
            }
            events.append(AuditEvent(.accountCreated, of: draft.account, at: now))
          } catch let error as AuthError where error.code != .providerUnavailable {
            faults.append(Fault(index: index, message: error.importMessage))
          }
        }
        try provider.audit.record(events, at: now)
        return faults
      }
    }
    return Response(error: faults)
  }

  /// Refuses all accounts if some have the same identifier, address or identity, like Google's emulator.
  private func requireDistinct() throws(AuthError) {
    if allowOverwrite != true, let twice = users.compactMap(\.localId).firstTwice {
      throw AuthError(server: .duplicateLocalID, "\(twice.printable())")
    }
    guard sanityCheck == true else { return }
    let addresses = users.compactMap { user in user.email.flatMap { try? EmailAddress($0).text } }
    if let twice = addresses.firstTwice { throw AuthError(server: .duplicateEmail, "\(twice)") }
    let identities = users.flatMap { $0.providerUserInfo ?? [] }
      .compactMap { info in info.rawId.map { "\(info.providerId): \($0)" } }
    if let twice = identities.firstTwice { throw AuthError(server: .duplicateRawID, "\(twice.printable())") }
  }
}

/// One account of an import, checked as far as possible without the database.
private struct ImportDraft {
  let account: StoredAccount
  private let identities: [Account.ProviderUserInfo]
  private let factors: PhoneFactorList

  init(
    _ user: ImportedAccount, _ hashes: HashImport?, in tenant: String, at now: Moment, by provider: Provider
  ) throws(AuthError) {
    if let fault = user.fault { throw .ofImport(fault) }
    guard let uid = user.localId, !uid.isEmpty else { throw .ofImport("localId is missing") }
    try Identifier.check(uid)
    if let other = user.tenantId, !other.isExactly(tenant) {
      throw .ofImport("Tenant id in userInfo does not match the tenant id in request.")
    }
    var account = StoredAccount(uid: uid, of: tenant, at: now)
    account.createdAt = try Self.milliseconds(user.createdAt, "createdAt") ?? now.milliseconds
    account.lastLoginAt = try Self.milliseconds(user.lastLoginAt, "lastLoginAt") ?? 0
    if let email = user.email, !email.isEmpty {
      guard let address = try? EmailAddress(email) else { throw .ofImport("email is invalid") }
      try address.requireHonest()
      account.email = address.text
    }
    account.emailVerified = user.emailVerified ?? false
    account.customAuth = user.customAuth ?? false
    if let validSince = user.validSince?.value {
      guard (0...253_402_300_799).contains(validSince) else {
        throw .ofImport("validSince is not a time in seconds since 1970")
      }
      account.validSince = min(validSince, now.seconds)
    }
    account.disabled = user.disabled ?? false
    account.displayName = try user.displayName.flatMap(ProfileField.displayName.checked)
    account.photoURL = try user.photoUrl.flatMap(ProfileField.photoURL.checked)
    if let phone = user.phoneNumber, !phone.isEmpty {
      guard let number = try? PhoneNumber(phone) else { throw .ofImport("phone number format is invalid") }
      account.phoneNumber = number.text
    }
    if let text = user.customAttributes { try account.setClaims(JSONObject(claims: text)) }
    let passwordTime = try Self.milliseconds(user.passwordUpdatedAt) ?? now.milliseconds
    if let hash = user.passwordHash {
      if provider.isEmulators, let readable = ReadablePassword(text: hash.revealed) {
        account.setPassword(readable.text, at: passwordTime)
      } else if let hashes {
        account.setPassword(try hashes.hash(hash, salt: user.salt).text(), at: passwordTime)
      } else {
        throw .ofImport("passwordHash is not of the form fakeHash:salt=SALT:password=PASSWORD")
      }
    }
    // The address and the phone are members of the account itself.
    identities = (user.providerUserInfo ?? []).filter {
      ![Session.byPassword, Session.byPhone].contains($0.providerId)
    }
    guard identities.allSatisfy({ $0.rawId?.isEmpty == false && !$0.providerId.isEmpty }) else {
      throw .ofImport("federatedId or (providerId & rawId) is required")
    }
    if user.mfaInfo?.isEmpty == false {
      guard account.email != nil else { throw .ofImport("Second factor account requires email to be presented.") }
      guard account.emailVerified else { throw .ofImport("Second factor account requires email to be verified.") }
    }
    factors = try PhoneFactorList((user.mfaInfo ?? []).map(EnrolledPhone.init))
    // Last, so that no hash is computed for a refused account.
    if user.passwordHash == nil, let password = user.rawPassword {
      let bytes = try PasswordRules.bytes(new: password, provider.options.passwordRequirements)
      account.setPassword(try provider.hash(bytes), at: passwordTime)
    }
    self.account = account
  }

  private static func milliseconds(_ value: DecimalString?, _ name: String) throws(AuthError) -> Int64? {
    guard let value = value?.value else { return nil }
    guard times.contains(value) else { throw .ofImport("\(name) is not a time in milliseconds since 1970") }
    return value
  }

  private static func milliseconds(_ value: Milliseconds?) throws(AuthError) -> Int64? {
    guard let value = value?.value else { return nil }
    guard value.isFinite, let whole = Int64(exactly: value.rounded(.down)), times.contains(whole) else {
      throw .ofImport("passwordUpdatedAt is not a time in milliseconds since 1970")
    }
    return whole
  }

  /// To the year 9999, the limit of RFC 3339.
  private static let times: ClosedRange<Int64> = 0...253_402_300_799_999

  func store(overwriting: Bool, at now: Moment, in db: Database) throws {
    if let old = try StoredAccount.find(uid: account.uid, in: db) {
      guard overwriting, old.tenant.isExactly(account.tenant) else {
        throw AuthError.ofImport("localId belongs to an existing account - can not overwrite.")
      }
      try old.remove(in: db)
    }
    if let email = account.email, try StoredAccount.find(EmailAddress(email), of: account.tenant, in: db) != nil {
      throw AuthError.ofImport("email exists in other account in database")
    }
    if let phone = account.phoneNumber, try StoredAccount.find(phoneNumber: phone, of: account.tenant, in: db) != nil {
      throw AuthError.ofImport("phone number exists in other account in database")
    }
    try account.insert(db)
    for identity in identities {
      if let subject = identity.rawId,
        try StoredIdentity.find(identity.providerId, subject, of: account.tenant, in: db) != nil
      {
        throw AuthError.ofImport("raw id exists in other account in database")
      }
      try account.link(identity, in: db)
    }
    try factors.replaceFactors(of: account, at: now, in: db)
  }
}

extension AuthError {
  fileprivate static func ofImport(_ reason: String) -> AuthError { AuthError(.invalidArgument, reason) }

  /// The reason why one account was not imported: the protocol's error code, if there is one, and the details.
  fileprivate var importMessage: String {
    guard let serverCode, serverWord != .invalidArgument else { return message }
    return "\(serverCode) : \(message)"
  }
}

extension Sequence<String> {
  /// The first text that occurred before, compared as bytes.
  fileprivate var firstTwice: String? {
    var seen: Set<[UInt8]> = []
    return first { !seen.insert(Array($0.utf8)).inserted }
  }
}
