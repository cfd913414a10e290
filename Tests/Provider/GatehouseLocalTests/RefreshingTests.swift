import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

struct RefreshingTests {
  @Test func `a refresh token buys ID tokens again and again`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    for _ in 1...3 {
      scene.clock.advance(by: 3600)
      let answer = try await scene.refresh(user.refreshToken)
      #expect(answer.userId == user.localId)
      #expect(answer.refreshToken == user.refreshToken)
      #expect(answer.expiresIn.value == 3600)
      #expect(answer.tokenType == "Bearer")
      _ = try await scene.lookUp(answer.idToken)
    }
  }

  @Test func `a refresh token outlives the process that gave it`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    let answer = try await scene.another().answer(ExchangeRefreshToken(refreshToken: user.refreshToken))
    #expect(answer.userId == user.localId)
  }

  @Test func `a refresh token that was never given out is refused`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    var forged = Array(user.refreshToken.revealed.utf8)
    forged[0] = forged[0] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    await expectRefusal("INVALID_REFRESH_TOKEN") {
      try await scene.refresh(Secret(String(decoding: forged, as: UTF8.self)))
    }
    await expectRefusal("INVALID_REFRESH_TOKEN") { try await scene.refresh(Secret("nonsense")) }
    await expectRefusal("INVALID_REFRESH_TOKEN") { try await scene.refresh(user.idToken) }
    await expectRefusal("MISSING_REFRESH_TOKEN") { try await scene.refresh(Secret("")) }
  }

  @Test func `another grant type is refused`() async {
    let scene = Scene()
    var call = ExchangeRefreshToken(refreshToken: Secret("nonsense"))
    call.grantType = "password"
    await expectRefusal("INVALID_GRANT_TYPE") { [call] in try await scene.backend.answer(call) }
    call.grantType = ""
    await expectRefusal("MISSING_GRANT_TYPE") { [call] in try await scene.backend.answer(call) }
  }

  @Test func `with rotation each refresh token buys once`() async throws {
    let scene = Scene { $0.rotatesRefreshTokens = true }
    let user = try await scene.signUp()
    var token = user.refreshToken
    for _ in 1...3 {
      let answer = try await scene.refresh(token)
      #expect(answer.refreshToken != token)
      token = answer.refreshToken
    }
  }

  @Test func `with rotation a refresh token that is used twice ends its session, and no other`() async throws {
    let scene = Scene { $0.rotatesRefreshTokens = true }
    let user = try await scene.signUp()
    let other = try await scene.signIn()
    let next = try await scene.refresh(user.refreshToken)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(user.refreshToken) }
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(next.refreshToken) }
    _ = try await scene.refresh(other.refreshToken)
  }

  @Test func `with rotation of many uses of one refresh token at once exactly one succeeds`() async throws {
    let scene = Scene { $0.rotatesRefreshTokens = true }
    let user = try await scene.signUp()
    let successes = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { (try? await scene.refresh(user.refreshToken)) != nil } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(successes == 1)
  }

  @Test func `a session that began before the clock was set back goes on`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    scene.clock.advance(by: 100)
    try await scene.backend.revoke(uid: user.localId)
    scene.clock.advance(by: -100)
    let again = try await scene.signIn()
    _ = try await scene.refresh(again.refreshToken)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(user.refreshToken) }
  }
}
