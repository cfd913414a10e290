import FoundationEssentials
import GRDB
import GatehouseBase
import IdentityToolkit

// The administrator's calls. Their changes are in the audit log before they are made, so no call has further events.

extension LookupAccounts: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.reading, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  /// The maximum number of accounts in a call.
  private static let most = 1000

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let identities = federatedUserId ?? []
    let count = (localId ?? []).count + (email ?? []).count + (phoneNumber ?? []).count + identities.count
    guard count <= Self.most else { throw .tooMany("accounts", Self.most) }
    let users = try provider.database.read { db in
      var found: [StoredAccount] = []
      for uid in localId ?? [] {
        try found.append(contentsOf: [StoredAccount.find(uid: uid, in: db)].compactMap(\.self))
      }
      for text in email ?? [] {
        guard let email = try? EmailAddress(text) else { continue }
        try found.append(contentsOf: [StoredAccount.find(email, of: tenant, in: db)].compactMap(\.self))
      }
      for text in phoneNumber ?? [] {
        guard let number = try? PhoneNumber(text) else { continue }
        let account = try StoredAccount.find(phoneNumber: number.text, of: tenant, in: db)
        found.append(contentsOf: [account].compactMap(\.self))
      }
      for user in identities {
        let identity = try StoredIdentity.find(user.providerId, user.rawId, of: tenant, in: db)
        let account = try identity.flatMap { try StoredAccount.find(uid: $0.uid, in: db) }
        found.append(contentsOf: [account].compactMap(\.self))
      }
      var seen: Set<String> = []
      return try found.filter { $0.tenant.isExactly(tenant) && seen.insert($0.uid).inserted }
        .map { try Account($0, provider.sessions.refreshes, in: db) }
    }
    return Response(users: users)
  }
}

extension CreateAccount: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> {
    password == nil ? .plain(.changing, answer) : .hashingForAdministrator(answer)
  }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    var draft = AccountDraft()
    draft.uid = localId
    draft.tenantID = tenantId
    draft.email = email
    draft.isEmailVerified = emailVerified ?? false
    draft.password = password
    draft.allowsPasswordAlone = true
    draft.displayName = displayName
    draft.photoURL = photoUrl
    draft.phoneNumber = phoneNumber
    draft.isDisabled = disabled ?? false
    draft.phoneFactors = (mfaInfo ?? []).map(EnrolledPhone.init)
    return Response(localId: try provider.administration.create(draft).uid)
  }
}

extension UpdateAccount: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> {
    password == nil ? .plain(.changing, answer) : .hashingForAdministrator(answer)
  }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    var edit = AccountEdit()
    edit.email = email
    edit.isEmailVerified = emailVerified
    edit.password = password
    edit.displayName = deleteAttribute?.contains(.displayName) == true ? "" : displayName
    edit.photoURL = deleteAttribute?.contains(.photoURL) == true ? "" : photoUrl
    edit.phoneNumber = phoneNumber
    edit.isDisabled = disableUser
    edit.validSince = validSince?.value
    edit.removedMethods = Set(deleteProvider ?? [])
    edit.removedAttributes = Set(deleteAttribute ?? [])
    edit.identity = linkProviderUserInfo
    edit.factors = mfa.map { ($0.enrollments ?? []).map(EnrolledPhone.init) }
    if let text = customAttributes {
      edit.claims = try JSONObject(claims: text)
    }
    let record = try provider.administration.update(
      try provider.administration.name(of: self.localId, in: tenant), edit)
    var response = Response(localId: record.uid)
    response.email = record.email
    response.displayName = record.displayName
    response.photoUrl = record.photoURL
    return response
  }
}

extension DeleteAccount: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    _ = try provider.administration.delete(try provider.administration.name(of: localId, in: tenant))
    return Response()
  }
}

extension DeleteAccounts: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    guard localIds.count <= Self.most else { throw .tooMany("accounts", Self.most) }
    let now = try provider.now()
    var faults: [Fault] = []
    // Some at a time, so that others need not wait for all of them.
    for start in stride(from: 0, to: localIds.count, by: 200) {
      faults += try provider.database.write { db in
        try (start..<min(start + 200, localIds.count)).compactMap { index in
          let uid = localIds[index]
          guard let account = try StoredAccount.find(uid: uid, in: db), account.tenant.isExactly(tenant) else {
            return nil
          }
          guard account.disabled || force == true else {
            return Fault(
              index: index, localId: uid, message: "NOT_DISABLED : disable the account first, or delete with force")
          }
          try account.remove(in: db)
          try provider.audit.record(AuditEvent(.accountDeleted, of: account, at: now), at: now)
          return nil
        }
      }
    }
    return Response(errors: faults)
  }
}

extension ListAccounts: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.reading, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let most = maxResults?.value ?? 20
    // An emulator is asked so for all accounts, like Firebase's.
    let isAll = most == -1 && provider.options.isEmulator
    guard (1...Int64(Self.most)).contains(most) || isAll else {
      throw AuthError(.invalidArgument, "a page has 1 to \(Self.most) accounts", server: .invalidArgument)
    }
    let users = try provider.database.read { db in
      try StoredAccount.every(
        // A negative limit is none.
        "SELECT * FROM account WHERE tenant = ? AND uid > ? ORDER BY uid LIMIT ?", [tenant, nextPageToken ?? "", most],
        in: db
      ).map { stored in
        var account = try Account(stored, provider.sessions.refreshes, in: db)
        (account.passwordHash, account.salt) = try stored.exportedPassword(
          inEmulatorsHome: provider.accounts.isEmulators)
        return account
      }
    }
    // A full page may be the last one; then the next page is empty and ends the list.
    return Response(users: users, nextPageToken: Int64(users.count) == most ? users.last?.localId : nil)
  }
}

extension QueryAccounts: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.reading, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private static let most: Int64 = 500

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let limit = limit?.value ?? Self.most
    let offset = offset?.value ?? 0
    guard (1...Self.most).contains(limit), offset >= 0 else {
      throw AuthError(.invalidArgument, "limit is 1 to \(Self.most), and offset not negative", server: .invalidArgument)
    }
    let (condition, arguments) = try self.condition()
    return try provider.database.read { db in
      guard returnUserInfo ?? true else {
        let count = try Int64.fetchOne(db, sql: "SELECT count(*) FROM account WHERE \(condition)", arguments: arguments)
        return Response(recordsCount: count ?? 0)
      }
      let found = try StoredAccount.fetchAll(
        db, sql: "SELECT * FROM account WHERE \(condition) ORDER BY uid LIMIT ? OFFSET ?",
        arguments: arguments + [limit, offset])
      return Response(
        recordsCount: Int64(found.count),
        userInfo: try found.map { try Account($0, provider.sessions.refreshes, in: db) })
    }
  }

  /// Returns the conditions as SQL, made of column names and question marks.
  private func condition() throws(AuthError) -> (String, StatementArguments) {
    guard let expression, !expression.isEmpty else { return ("tenant = ?", [tenant]) }
    guard expression.count <= 100 else { throw .tooMany("conditions", 100) }
    var parts: [String] = []
    var arguments: StatementArguments = [tenant]
    for condition in expression {
      var all: [String] = []
      if let text = condition.email {
        all.append("email = ?")
        arguments += [try EmailAddress(text).text]
      }
      if let uid = condition.userId {
        all.append("uid = ?")
        arguments += [uid]
      }
      if let text = condition.phoneNumber {
        all.append("phoneNumber = ?")
        arguments += [try PhoneNumber(text).text]
      }
      parts.append(all.isEmpty ? "1" : all.joined(separator: " AND "))
    }
    return ("tenant = ? AND (\(parts.map { "(\($0))" }.joined(separator: " OR ")))", arguments)
  }
}

extension CreateSessionCookie: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let lifetime = Duration.seconds(validDuration?.value ?? 1_209_600)
    return Response(sessionCookie: Secret(try provider.cookies.make(of: idToken, lifetime: lifetime, in: tenant)))
  }
}

extension JSONObject {
  /// Reads claims as an administrator sends them: the text of an object; an empty text for none.
  init(claims text: String) throws(AuthError) {
    guard let claims = try? text.isEmpty ? JSONObject() : JSONObject(reading: text.utf8) else {
      throw AuthError(.invalidArgument, "the claims are not a JSON object", server: .invalidClaims)
    }
    self = claims
  }
}

extension EnrolledPhone {
  init(_ factor: CreateAccount.PhoneFactor) {
    self.init(id: factor.mfaEnrollmentId, phoneNumber: factor.phoneInfo)
    displayName = factor.displayName
    // An unknown date format loses only the date, not the account.
    enrolledAt = factor.enrolledAt.flatMap { try? Date($0, strategy: Date.ISO8601FormatStyle()).wall }
      .map { Int64($0) * 1000 }
  }
}

extension AuthError {
  fileprivate static func tooMany(_ what: String, _ most: Int) -> AuthError {
    AuthError(.invalidArgument, "a call names at most \(most) \(what)", server: .invalidArgument)
  }
}
