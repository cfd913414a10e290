import GRDB
import GatehouseBase
import IdentityToolkit

/// One account of an import, checked as far as possible without the database.
struct ImportDraft {
  let account: StoredAccount
  let identities: [Account.ProviderUserInfo]
  let factors: PhoneFactorList
  /// Whether the row says when the account was created.
  let hasCreationTime: Bool

  init(
    _ user: ImportedAccount, _ hashes: HashImport?, in tenant: String, at now: Moment, by provider: Provider
  ) throws(AuthError) {
    if let fault = user.fault { throw .ofImport(fault) }
    guard let uid = user.localId, !uid.isEmpty else { throw .ofImport("localId is missing") }
    try Identifier.check(uid)
    if let other = user.tenantId, !other.isExactly(tenant) {
      throw .ofImport(.isOfOtherTenant)
    }
    var account = StoredAccount(uid: uid, of: tenant, at: now)
    hasCreationTime = user.createdAt != nil
    account.createdAt = try Self.milliseconds(user.createdAt, "createdAt") ?? now.milliseconds
    account.lastLoginAt = try Self.milliseconds(user.lastLoginAt, "lastLoginAt") ?? 0
    if let email = user.email, !email.isEmpty {
      guard let address = try? EmailAddress(email) else { throw .ofImport(.addressIsInvalid) }
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
      guard let number = try? PhoneNumber(phone) else { throw .ofImport(.phoneIsInvalid) }
      account.phoneNumber = number.text
    }
    if let text = user.customAttributes { try account.setClaims(JSONObject(claims: text)) }
    let passwordTime = try Self.milliseconds(user.passwordUpdatedAt) ?? now.milliseconds
    if let hash = user.passwordHash {
      if provider.accounts.isEmulators, let readable = ReadablePassword(text: hash.revealed) {
        account.setPassword(readable.text, at: passwordTime)
      } else if let hashes {
        account.setPassword(try hashes.text(hash, salt: user.salt), at: passwordTime)
      } else {
        throw .ofImport("passwordHash is not of the form fakeHash:salt=SALT:password=PASSWORD")
      }
    }
    // The address and the phone are members of the account itself.
    identities = (user.providerUserInfo ?? []).filter {
      ![Session.byPassword, Session.byPhone].contains($0.providerId)
    }
    guard identities.allSatisfy({ $0.rawId?.isEmpty == false && !$0.providerId.isEmpty }) else {
      throw .ofImport(.identityIsIncomplete)
    }
    guard Set(identities.map { Array($0.providerId.utf8) }).count == identities.count else {
      throw .ofImport("the account has two identities of one provider, and can have one of each")
    }
    if user.mfaInfo?.isEmpty == false {
      guard account.email != nil else { throw .ofImport(.factorNeedsAddress) }
      guard account.emailVerified else { throw .ofImport(.factorNeedsVerifiedAddress) }
    }
    factors = try PhoneFactorList((user.mfaInfo ?? []).map(EnrolledPhone.init))
    // Last, so that no hash is computed for a refused account.
    if user.passwordHash == nil, let password = user.rawPassword {
      let bytes = try PasswordRules.bytes(new: password, provider.tenants.passwordRequirements(of: tenant))
      account.setPassword(try provider.accounts.hash(bytes), at: passwordTime)
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

  /// The times that RFC 3339 can write: they end with the year 9999.
  private static let times: ClosedRange<Int64> = 0...253_402_300_799_999

  /// Stores the account.
  ///
  /// - Returns: The account that it has replaced.
  func store(
    overwriting: Bool, at now: Moment, in db: Database
  ) throws -> (account: StoredAccount, rows: AccountRows)? {
    var replaced: (account: StoredAccount, rows: AccountRows)?
    if let old = try StoredAccount.find(uid: account.uid, in: db) {
      guard overwriting, old.tenant.isExactly(account.tenant) else {
        throw AuthError.ofImport("localId belongs to an existing account - can not overwrite.")
      }
      replaced = (old, try AccountRows(of: old, in: db))
      try old.remove(in: db)
    }
    if let email = account.email, try StoredAccount.find(EmailAddress(email), of: account.tenant, in: db) != nil {
      throw AuthError.ofImport(.addressIsTaken)
    }
    if let phone = account.phoneNumber, try StoredAccount.find(phoneNumber: phone, of: account.tenant, in: db) != nil {
      throw AuthError.ofImport(.phoneIsTaken)
    }
    try account.insert(db)
    try addIdentitiesAndFactors(at: now, in: db)
    return replaced
  }

  /// The names of what the account has, for the audit log.
  var names: [String] {
    var blank = account
    blank.clear()
    return account.changedNames(from: blank) + (identities.isEmpty ? [] : ["identities"])
      + (factors.isEmpty ? [] : ["secondFactors"])
  }

  /// Returns the names of what has changed, or of what a new account has.
  func changedNames(
    from replaced: (account: StoredAccount, rows: AccountRows)?, in db: Database
  ) throws -> [String] {
    guard let replaced else { return names }
    return try account.changedNames(from: replaced.account)
      + AccountRows(of: account, in: db).changedNames(from: replaced.rows)
  }

  /// Gives the account, which is stored already, its users of identity providers and its second factors.
  func addIdentitiesAndFactors(at now: Moment, in db: Database) throws {
    for identity in identities {
      if let subject = identity.rawId,
        try StoredIdentity.find(identity.providerId, subject, of: account.tenant, in: db) != nil
      {
        throw AuthError.ofImport(.identityIsTaken)
      }
      try account.link(identity, in: db)
    }
    try factors.replaceFactors(of: account, at: now, in: db)
  }
}

extension AuthError {
  /// The refusal of one account of an import.
  static func ofImport(_ reason: String) -> AuthError { AuthError(.invalidArgument, reason) }

  /// The refusal of one account of an import, in the protocol's words.
  static func ofImport(_ refusal: ImportRefusal) -> AuthError { ofImport(refusal.rawValue) }

  /// The reason why an account of a file was not imported, for people.
  var importMessage: String {
    guard serverWord != .emailExists else { return ImportRefusal.addressIsTaken.plain }
    return ImportRefusal(rawValue: message)?.plain ?? message
  }

  /// The answer of the protocol for an account that was not imported: its error code, if there is one, and the details.
  var importAnswer: String {
    guard let serverCode, serverWord != .invalidArgument else { return message }
    return "\(serverCode) : \(message)"
  }
}

/// The protocol's sentences for an account that is refused, each with one for people.
enum ImportRefusal: String {
  case addressIsTaken = "email exists in other account in database"
  case phoneIsTaken = "phone number exists in other account in database"
  case identityIsTaken = "raw id exists in other account in database"
  case addressIsInvalid = "email is invalid"
  case phoneIsInvalid = "phone number format is invalid"
  case identityIsIncomplete = "federatedId or (providerId & rawId) is required"
  case isOfOtherTenant = "Tenant id in userInfo does not match the tenant id in request."
  case factorNeedsAddress = "Second factor account requires email to be presented."
  case factorNeedsVerifiedAddress = "Second factor account requires email to be verified."

  /// The sentence for people.
  var plain: String {
    switch self {
    case .addressIsTaken: "another account has this address"
    case .phoneIsTaken: "another account has this phone number"
    case .identityIsTaken: "another account has this user of the identity provider"
    case .addressIsInvalid: "this is not an e-mail address"
    case .phoneIsInvalid: "this is not a phone number"
    case .identityIsIncomplete: "a user of an identity provider has no providerId or no rawId"
    case .isOfOtherTenant: "the account is of another tenant"
    case .factorNeedsAddress: "an account with a second factor needs an address"
    case .factorNeedsVerifiedAddress: "an account with a second factor needs a verified address"
    }
  }
}
