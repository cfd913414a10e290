import GRDB
import GatehouseBase
import IdentityToolkit

extension QueryAccounts: LocalCall {
  var authority: Authority { .administrator }
  /// It waits for the disk, for its event, unless it only counts accounts.
  func steps(_ options: LocalOptions) -> CallSteps<Response> {
    .plain(returnUserInfo ?? true ? .changing : .reading, answer)
  }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private static let most: Int64 = 500

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let limit = limit?.value ?? Self.most
    let offset = offset?.value ?? 0
    guard (1...Self.most).contains(limit), offset >= 0 else {
      throw AuthError(.invalidArgument, "limit is 1 to \(Self.most), and offset not negative", server: .invalidArgument)
    }
    let (condition, arguments) = try self.condition()
    let response = try provider.database.read { db in
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
    if let users = response.userInfo {
      let now = try provider.now()
      try provider.audit.record(.given(.accountsRead, users.count, of: tenant, at: now), at: now)
    }
    return response
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
