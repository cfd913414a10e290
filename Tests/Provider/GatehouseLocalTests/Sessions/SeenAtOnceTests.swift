import GRDB
import GatehouseBase
import GatehouseLocal
import HangGuard
import IdentityToolkit
import Testing

/// Tests that a look-up with a cached token still sees every change.
struct SeenAtOnceTests {
  /// A change of a user, and the refusal of the next look-up.
  enum Change: CaseIterable {
    case disabling, deleting, revoking, endingTheSession, waiting, switchingTheTenantOff, settingTheClockBack

    var refusal: String {
      switch self {
      case .disabling: "USER_DISABLED"
      case .deleting: "USER_NOT_FOUND"
      case .revoking, .endingTheSession, .waiting: "TOKEN_EXPIRED"
      case .switchingTheTenantOff: "OPERATION_NOT_ALLOWED"
      case .settingTheClockBack: "INVALID_ID_TOKEN"
      }
    }
  }

  @Test(arguments: Change.allCases, [false, true])
  func `what becomes of an account is seen by the next look-up, whoever did it`(
    _ change: Change, inAnotherProcess: Bool
  ) async throws {
    let scene = Scene(), backend = inAnotherProcess ? scene.another() : scene.backend
    var signUp = SignUp(email: "ada@example.com", password: Secret("correct horse"))
    if change == .switchingTheTenantOff {
      _ = try await scene.backend.createTenant("north")
      signUp.tenantId = "north"
    }
    let user = try await scene.backend.answer(signUp)
    scene.clock.advance(by: 2)
    for _ in 1...2 { #expect(try await scene.lookUp(user.idToken).localId == user.localId) }
    try await Self.make(change, of: user, backend, scene)
    await expectRefusal(change.refusal) { try await scene.lookUp(user.idToken) }
  }

  private static func make(
    _ change: Change, of user: SignInResponse, _ backend: LocalBackend, _ scene: Scene
  ) async throws {
    switch change {
    case .disabling:
      var call = UpdateAccount(localId: user.localId)
      call.disableUser = true
      _ = try await backend.answer(call)
    case .deleting: _ = try await backend.answer(Delete(idToken: user.idToken))
    case .revoking: try await backend.revoke(uid: user.localId)
    case .endingTheSession:
      let sessions = try await backend.answer(ListSessions(idToken: user.idToken)).sessions
      var call = RevokeSessions(idToken: user.idToken)
      call.sessionId = try #require(sessions.first).sessionId
      _ = try await backend.answer(call)
    case .waiting: scene.clock.advance(by: 3661)
    case .switchingTheTenantOff:
      try await DatabaseQueue(path: scene.folder.home + "/accounts.sqlite").write { db in
        try db.execute(
          sql: "INSERT INTO resource (kind, tenant, id, document) VALUES ('tenant', '', 'north', ?)",
          arguments: [#"{"disableAuth":true}"#])
      }
    case .settingTheClockBack: scene.clock.advance(by: -7200)
    }
  }

  @Test func `a token whose key is gone is refused, though it was looked up before`() async throws {
    let scene = Scene { $0.keyPublication = .zero }
    let user = try await scene.signUp()
    for _ in 1...2 { _ = try await scene.lookUp(user.idToken) }
    let other = scene.another { $0.signing = .rs256 }
    _ = try await other.keySet()
    try await other.close()
    // After half a minute, the token is still cached and has not expired.
    scene.clock.advance(by: 30)
    try await DatabaseQueue(path: scene.folder.home + "/accounts.sqlite").write { db in
      try db.execute(sql: "UPDATE signingKey SET removing = 1 WHERE algorithm = 'ES256'")
    }
    await expectRefusal("INVALID_ID_TOKEN") { try await scene.lookUp(user.idToken) }
  }

  @Test func `what was changed of an account is in the next answer, by one statement or several`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    for name in ["Ada", "Grace"] {
      _ = try await scene.update(user.idToken) { $0.displayName = name }
      #expect(try await scene.lookUp(user.idToken).displayName == name)
    }
    try await DatabaseQueue(path: scene.folder.home + "/accounts.sqlite").write { db in
      try db.execute(
        sql: """
          INSERT INTO identity (tenant, provider, subject, uid) VALUES ('', 'example.com', 'u', ?);
          """, arguments: [user.localId])
    }
    let account = try await scene.lookUp(user.idToken)
    #expect(account.providerUserInfo?.map(\.providerId) == ["example.com", "password"])
    #expect(account.displayName == "Grace")
  }

  @Test(.endsIfItHangs) func `refreshes that wait for the disk hold no thread`() async throws {
    let clock = HeldClock(), folder = TemporaryFolder()
    let backend = LocalBackend.cheap(folder.home, clock) { $0.rotatesRefreshTokens = true }
    var users: [SignInResponse] = []
    // More than the number of threads for changes.
    for _ in 0..<20 { users.append(try await backend.answer(SignUp())) }
    clock.hold()
    let refreshes = users.map { user in
      Task { try await backend.answer(ExchangeRefreshToken(refreshToken: user.refreshToken)).userId }
    }
    // The first refreshes are now in their transaction.
    await clock.isAsked()
    clock.letOthersPass()
    // `keySet` needs one of those threads.
    _ = try await backend.keySet()
    #expect(try await backend.answer(Lookup(idToken: users[0].idToken)).users?.first?.localId == users[0].localId)
    clock.release()
    for (user, refresh) in zip(users, refreshes) { #expect(try await refresh.value == user.localId) }
  }
}
