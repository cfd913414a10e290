import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// What has ended is removed, in short steps, and nothing else is.
struct PruningTests {
  @Test func `of a session that rotates few spent tokens stay`() async throws {
    let scene = Scene { $0.rotatesRefreshTokens = true }
    var token = try await scene.signUp().refreshToken
    var most = 0
    for _ in 1...200 {
      token = try await scene.refresh(token).refreshToken
      most = max(most, try scene.rows("SELECT hash FROM refreshToken").count)
    }
    #expect((17...34).contains(most), "\(most)")
  }

  @Test func `a spent token of the last sixteen ends its session, also after a pruning`() async throws {
    let scene = Scene { $0.rotatesRefreshTokens = true }
    var tokens = [try await scene.signUp().refreshToken]
    for _ in 1...40 { tokens.append(try await scene.refresh(tokens[tokens.count - 1]).refreshToken) }
    try await scene.prune()
    await expectRefusal("INVALID_REFRESH_TOKEN") { try await scene.refresh(tokens[0]) }
    tokens.append(try await scene.refresh(tokens[40]).refreshToken)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(tokens[41 - 16]) }
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(tokens[41]) }
  }

  @Test func `tokens of ended sessions go after thirty days, and good ones stay`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let gone = try await scene.signUp("grace@example.com")
    _ = try await scene.backend.deleteAccount(AccountName(gone.localId))
    try await scene.backend.revoke(uid: user.localId)
    let kept = try await scene.signIn()
    try await scene.prune()
    scene.clock.advance(by: 30 * 86400 - 1)
    try await scene.prune()
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(user.refreshToken) }
    await expectRefusal("USER_NOT_FOUND") { try await scene.refresh(gone.refreshToken) }
    scene.clock.advance(by: 2)
    try await scene.prune()
    await expectRefusal("INVALID_REFRESH_TOKEN") { try await scene.refresh(user.refreshToken) }
    await expectRefusal("INVALID_REFRESH_TOKEN") { try await scene.refresh(gone.refreshToken) }
    _ = try await scene.refresh(kept.refreshToken)
  }

  /// Without an index, each change of an account would read all rows of the table, which strangers can make many.
  @Test func `the rows of an account have an index in every table`() async throws {
    let scene = Scene()
    try await scene.signUp()
    let without = try scene.rows(
      """
      SELECT t.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c ON c.name = 'uid'
      WHERE t.type = 'table' AND NOT EXISTS (
        SELECT 1 FROM pragma_index_list(t.name) l JOIN pragma_index_info(l.name) i ON i.seqno = 0 AND i.name = 'uid')
      """)
    #expect(without == [])
  }

  @Test func `expired codes, attempts and sign-ins that wait go`() async throws {
    let scene = Scene()
    try await scene.signUp()
    _ = try? await scene.signIn("ada@example.com", "wrong horse")
    let now = 1_800_000_000
    try scene.execute(
      """
      INSERT INTO actionCode (hash, type, email, expires) VALUES ('a', 'EMAIL_SIGNIN', 'x@example.com', \(now));
      INSERT INTO actionCode (hash, type, email, expires)
        VALUES ('b', 'EMAIL_SIGNIN', 'x@example.com', \(now + 900000));
      INSERT INTO pendingFactor VALUES ('a', 'u', 's', \(now)), ('b', 'u', 's', \(now + 900000));
      INSERT INTO pendingSignIn (hash, uid, provider, expires)
        VALUES ('a', 'u', 'p', \(now)), ('b', 'u', 'p', \(now + 900000));
      """)
    scene.clock.advance(by: 7 * 86400 + 1)
    try await scene.prune()
    for table in ["actionCode", "pendingFactor", "pendingSignIn"] {
      #expect(try scene.rows("SELECT hash FROM \(table)") == [["b"]], "\(table)")
    }
    #expect(try scene.rows("SELECT * FROM attempt") == [])
  }

  @Test func `a step removes a bounded number of rows, and the next one goes on`() async throws {
    let scene = Scene()
    try await scene.signUp()
    try scene.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
      INSERT INTO refreshToken (hash, uid, session, provider, authTime, state)
        SELECT 'hash' || i, 'gone', 'old', 'password', 1, 'revoked' FROM n;
      UPDATE refreshToken SET endedAt = 1 WHERE session = 'old';
      """)
    var counts: [Int] = []
    for _ in 1...4 {
      _ = try await scene.backend.pruneOnce()
      counts.append(try scene.rows("SELECT hash FROM refreshToken WHERE session = 'old'").count)
    }
    #expect(counts == [700, 200, 0, 0])
  }

  @Test func `pruning is due after 256 calls, and after an hour`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let seconds = "SELECT at FROM upkeep"
    #expect(try scene.rows(seconds) == [])
    scene.clock.advance(by: 3600)
    _ = try await scene.refresh(user.refreshToken)
    try await scene.backend.close()
    #expect(try scene.rows(seconds) == [["1800003600"]])
    let again = scene.another()
    scene.clock.advance(by: 10)
    for _ in 1...255 { _ = try await again.answer(ExchangeRefreshToken(refreshToken: user.refreshToken)) }
    #expect(try scene.rows(seconds) == [["1800003600"]])
    _ = try await again.answer(ExchangeRefreshToken(refreshToken: user.refreshToken))
    try await again.close()
    #expect(try scene.rows(seconds) == [["1800003610"]])
  }
}
