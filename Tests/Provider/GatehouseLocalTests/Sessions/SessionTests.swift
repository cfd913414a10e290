import GRDB
import Gatehouse
import GatehouseBase
import GatehouseJOSE
import GatehouseLocal
import IdentityToolkit
import Testing

/// The sessions of a user: listed, and ended one by one or all at once.
struct SessionTests {
  private static let email = "ada@example.com"

  /// Two `Auth`s to which the same user has signed in.
  private static func pair(_ scene: Scene) async throws -> (here: Auth, there: Auth) {
    let (here, there) = (
      Auth(.init(backend: scene.backend, clocks: scene.clock)), Auth(.init(backend: scene.backend, clocks: scene.clock))
    )
    _ = try await here.createUser(withEmail: email, password: "correct horse")
    scene.clock.advance(by: 10)
    _ = try await there.signIn(withEmail: email, password: "correct horse")
    return (here, there)
  }

  @Test func `an account has a thousand sessions at most: one more ends the oldest, first one that is over`()
    async throws
  {
    let scene = Scene()
    let first = try await scene.signUp()
    let stranger = try await scene.signUpAnonymously()
    scene.clock.advance(by: 10)
    let here = try await scene.signIn()
    // Ten of these sessions are over, and a rotation has left a spent token of each other one.
    try await DatabaseQueue(path: scene.folder.home + "/accounts.sqlite").write { db in
      try db.execute(
        sql: """
          WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 997)
          INSERT INTO refreshToken (hash, uid, session, provider, authTime, state)
          SELECT 'a' || n, ?, 's' || n, 'password', authTime, iif(n <= 10, 'revoked', 'valid')
            FROM number, (SELECT max(authTime) AS authTime FROM refreshToken)
          UNION ALL SELECT 'b' || n, ?, 's' || n, 'password', 0, 'spent' FROM number WHERE n > 10
          """, arguments: [first.localId, first.localId])
    }
    func living() async throws -> Int {
      try await scene.backend.answer(ListSessions(idToken: here.idToken)).sessions.count
    }
    #expect(try await living() == 989)
    for count in 990...1000 {
      try await scene.signIn()
      #expect(try await living() == count)
    }
    _ = try await scene.refresh(first.refreshToken)
    let last = try await scene.signIn()
    #expect(try await living() == 1000)
    await expectRefusal("INVALID_REFRESH_TOKEN") { try await scene.refresh(first.refreshToken) }
    for user in [here, last, stranger] { _ = try await scene.refresh(user.refreshToken) }
  }

  @Test func `each sign-in is a session, in order, and knows itself`() async throws {
    let scene = Scene()
    let (here, there) = try await Self.pair(scene)
    let user = try #require(here.currentUser)
    let sessions = try await user.sessions()
    #expect(sessions.map(\.isCurrent) == [true, false])
    #expect(sessions.map(\.signInProvider) == ["password", "password"])
    #expect(sessions[0].signInDate < sessions[1].signInDate)
    #expect(try await user.getIDTokenResult().claims["sid"]?.string == sessions[0].id)
    #expect(try await there.currentUser?.sessions().map(\.isCurrent) == [false, true])
  }

  @Test func `a session that was ended is refused from that moment, and the others go on`() async throws {
    let scene = Scene()
    let (here, there) = try await Self.pair(scene)
    let user = try #require(here.currentUser)
    let other = try #require(there.currentUser)
    let idToken = Secret(try await other.getIDToken())
    try await user.revokeSession(try await user.sessions()[1].id)
    // Its ID token is good for an hour by itself.
    await expectRefusal("TOKEN_EXPIRED") { try await scene.lookUp(idToken) }
    await expectRefusal("TOKEN_EXPIRED") { _ = try await other.getIDToken(forcingRefresh: true) }
    #expect(there.currentUser == nil)
    try await user.reload()
    #expect(try await user.sessions().map(\.isCurrent) == [true])
    try await user.revokeSession("unknown")
  }

  @Test func `an administrator learns that one session is over, and that the other goes on`() async throws {
    let scene = Scene()
    let (here, there) = (try await scene.signUp(), try await scene.signIn())
    let sessions = try [here, there].map { user in
      try #require(try UnverifiedToken(user.idToken.revealed)["sid"]?.string)
    }
    _ = try await scene.backend.answer(RevokeSessions(idToken: here.idToken, sessionId: sessions[1]))
    for (session, isOver) in zip(sessions, [false, true]) {
      let call = CheckSession(localId: here.localId, sessionId: session)
      #expect(try await scene.backend.answer(call).isOver == isOver)
    }
    await expectRefusal("USER_NOT_FOUND") {
      try await scene.backend.answer(CheckSession(localId: "another", sessionId: sessions[0]))
    }
  }

  @Test func `the session of another user is not ended`() async throws {
    let scene = Scene()
    let (here, _) = try await Self.pair(scene)
    let stranger = Auth(.init(backend: scene.backend, clocks: scene.clock))
    let other = try await stranger.createUser(withEmail: "b@example.com", password: "correct horse").user
    let user = try #require(here.currentUser)
    try await other.revokeSession(try await user.sessions()[0].id)
    #expect(try await user.sessions().count == 2)
  }

  @Test func `a sign-out everywhere ends all, this one included`() async throws {
    let scene = Scene()
    let (here, there) = try await Self.pair(scene)
    let (user, other) = (try #require(here.currentUser), try #require(there.currentUser))
    try await here.signOutEverywhere()
    #expect(here.currentUser == nil)
    await expectRefusal(.nullUser) { try await user.reload() }
    await expectRefusal("TOKEN_EXPIRED") { _ = try await other.getIDToken(forcingRefresh: true) }
    await expectRefusal(.nullUser) { try await here.signOutEverywhere() }
    _ = try await here.signIn(withEmail: Self.email, password: "correct horse")
    #expect(try await here.currentUser?.sessions().count == 1)
  }

  @Test func `a sign-out everywhere that fails leaves the user signed in`() async throws {
    let scene = Scene()
    let (here, _) = try await Self.pair(scene)
    try await scene.backend.close()
    await expectRefusal(.closed) { try await here.signOutEverywhere() }
    #expect(here.currentUser != nil)
  }

  @Test func `with rotation a session is one, however often it was refreshed`() async throws {
    let scene = Scene { $0.rotatesRefreshTokens = true }
    var user = try await scene.signUp()
    let first = try await scene.backend.answer(ListSessions(idToken: user.idToken)).sessions
    for _ in 0..<3 {
      scene.clock.advance(by: 10)
      let answer = try await scene.refresh(user.refreshToken)
      user.refreshToken = answer.refreshToken
      user.idToken = answer.idToken
    }
    #expect(try await scene.backend.answer(ListSessions(idToken: user.idToken)).sessions == first)
    _ = try await scene.backend.answer(RevokeSessions(idToken: user.idToken, sessionId: first[0].sessionId))
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(user.refreshToken) }
  }

  @Test func `Apple's tokens cannot be taken back by a provider that keeps none`() async throws {
    let scene = Scene()
    let (here, _) = try await Self.pair(scene)
    await expectRefusal("OPERATION_NOT_ALLOWED") { try await here.revokeToken(withAuthorizationCode: "c") }
  }
}
