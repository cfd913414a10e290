import GatehouseBase
import IdentityToolkit

extension AdminDesk {
  func user(_ identifier: UserIdentifier) async throws(AuthError) -> UserRecord {
    guard let user = try await users([identifier]).users.first else { throw noSuchUser }
    return user
  }

  func users(_ identifiers: [UserIdentifier]) async throws(AuthError) -> GetUsersResult {
    guard identifiers.count <= Self.mostIdentifiers else {
      throw AuthError(.invalidArgument, "at most \(Self.mostIdentifiers) users can be asked for at once")
    }
    guard !identifiers.isEmpty else { return GetUsersResult(users: [], notFound: []) }
    let users = (try await answer(LookupAccounts(identifiers)).users ?? []).map(UserRecord.init)
    return GetUsersResult(users: users, notFound: identifiers.filter { !users.contains(where: $0.names) })
  }

  /// Firebase's limit.
  private static let mostIdentifiers = 100

  func createUser(_ request: CreateUserRequest) async throws(AuthError) -> UserRecord {
    try await user(.uid(try await answer(request.call).localId))
  }

  func update(_ call: UpdateAccount) async throws(AuthError) {
    // An empty identifier would name no account to some servers, and a wrong one to others.
    guard !call.localId.isEmpty else { throw AuthError(.invalidArgument, "the user's identifier is empty") }
    _ = try await answer(call)
  }

  func updateUser(_ uid: String, _ request: UpdateUserRequest) async throws(AuthError) -> UserRecord {
    try await update(request.call(uid: uid))
    return try await user(.uid(uid))
  }

  func deleteUser(_ uid: String) async throws(AuthError) { _ = try await answer(DeleteAccount(localId: uid)) }

  func deleteUsers(_ uids: [String]) async throws(AuthError) -> DeleteUsersResult {
    guard uids.count <= DeleteAccounts.most else {
      throw AuthError(.invalidArgument, "at most \(DeleteAccounts.most) users can be deleted at once")
    }
    guard !uids.isEmpty else { return DeleteUsersResult(successCount: 0, errors: []) }
    let faults = try await answer(DeleteAccounts(localIds: uids, force: true)).errors ?? []
    return DeleteUsersResult(
      successCount: max(uids.count - faults.count, 0),
      errors: faults.map { .init(index: $0.index, error: AuthError(server: $0.message.printable(upTo: 512))) })
  }

  func users(maxResults: Int, pageToken: String?) async throws(AuthError) -> UserPage {
    guard (1...ListAccounts.most).contains(maxResults) else {
      throw AuthError(.invalidArgument, "a page has 1 to \(ListAccounts.most) users")
    }
    var call = ListAccounts()
    call.maxResults = DecimalString(Int64(maxResults))
    call.nextPageToken = pageToken
    let page = try await answer(call)
    return UserPage(
      users: (page.users ?? []).map(UserRecord.init),
      nextPageToken: page.nextPageToken.flatMap { $0.isEmpty ? nil : $0 })
  }

  func setClaims(of uid: String, to claims: JSONObject) async throws(AuthError) {
    try CustomClaims.check(claims)
    var call = UpdateAccount(localId: uid)
    call.customAttributes = claims.description
    try await update(call)
  }

  func revokeTokens(of uid: String) async throws(AuthError) {
    var call = UpdateAccount(localId: uid)
    call.validSince = DecimalString(Int64(clamping: clocks.now().wall))
    try await update(call)
  }
}
