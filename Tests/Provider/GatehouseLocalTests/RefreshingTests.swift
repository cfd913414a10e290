import GatehouseBase
import GatehouseJOSE
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
    let scene = Scene {
      $0.rotatesRefreshTokens = true
      $0.rotationGrace = .zero
    }
    let user = try await scene.signUp()
    let other = try await scene.signIn()
    let next = try await scene.refresh(user.refreshToken)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(user.refreshToken) }
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(next.refreshToken) }
    _ = try await scene.refresh(other.refreshToken)
  }

  @Test func `within the grace a spent refresh token is answered with the same next one`() async throws {
    let scene = Scene { $0.rotatesRefreshTokens = true }
    let user = try await scene.signUp()
    let next = try await scene.refresh(user.refreshToken)
    scene.clock.advance(by: 29)
    #expect(try await scene.refresh(user.refreshToken).refreshToken == next.refreshToken)
    let last = try await scene.refresh(next.refreshToken)
    #expect(last.refreshToken != next.refreshToken)
  }

  @Test func `after the grace a spent refresh token ends its session`() async throws {
    let scene = Scene { $0.rotatesRefreshTokens = true }
    let user = try await scene.signUp()
    let next = try await scene.refresh(user.refreshToken)
    scene.clock.advance(by: 30)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(user.refreshToken) }
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(next.refreshToken) }
  }

  @Test func `a spent refresh token whose successor was used ends its session, within the grace too`() async throws {
    let scene = Scene { $0.rotatesRefreshTokens = true }
    let user = try await scene.signUp()
    let next = try await scene.refresh(user.refreshToken)
    let last = try await scene.refresh(next.refreshToken)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(user.refreshToken) }
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(last.refreshToken) }
  }

  /// The owner and a thief both hold the spent token, and so both get the next one. Its second use shows the theft.
  @Test(arguments: [false, true])
  func `a thief within the grace is found when the next token is used twice`(isThiefFirst: Bool) async throws {
    let scene = Scene { $0.rotatesRefreshTokens = true }
    let stolen = try await scene.signUp().refreshToken
    let owners = try await scene.refresh(stolen).refreshToken
    scene.clock.advance(by: 10)
    let thiefs = try await scene.refresh(stolen).refreshToken
    let last = try await scene.refresh(isThiefFirst ? thiefs : owners).refreshToken
    scene.clock.advance(by: 30)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(isThiefFirst ? owners : thiefs) }
    await expectRefusal("TOKEN_EXPIRED") { try await scene.refresh(last) }
  }

  @Test func `a repeated answer has an ID token of the same session, and is not a use of the next one`() async throws {
    let scene = Scene { $0.rotatesRefreshTokens = true }
    let user = try await scene.signUp()
    let next = try await scene.refresh(user.refreshToken)
    let repeated = try await scene.refresh(user.refreshToken)
    #expect(try UnverifiedToken(repeated.idToken.revealed)["sid"] == UnverifiedToken(next.idToken.revealed)["sid"])
    #expect(try await scene.refresh(user.refreshToken).refreshToken == next.refreshToken)
    _ = try await scene.refresh(next.refreshToken)
  }

  @Test func `the grace survives the end of the provider, and a clock that was set back a little`() async throws {
    let scene = Scene { $0.rotatesRefreshTokens = true }
    let user = try await scene.signUp()
    let next = try await scene.refresh(user.refreshToken).refreshToken
    try await scene.backend.close()
    let again = scene.another { $0.rotatesRefreshTokens = true }
    scene.clock.advance(by: -29)
    let call = ExchangeRefreshToken(refreshToken: user.refreshToken)
    #expect(try await again.answer(call).refreshToken == next)
    scene.clock.advance(by: -1)
    await expectRefusal("TOKEN_EXPIRED") { try await again.answer(call) }
  }

  @Test(arguments: ["a revocation", "a disabled account", "a deleted account"])
  func `the grace brings no session back`(fate: String) async throws {
    let scene = Scene { $0.rotatesRefreshTokens = true }
    let user = try await scene.signUp()
    _ = try await scene.refresh(user.refreshToken)
    let word: String
    switch fate {
    case "a revocation":
      try await scene.backend.revoke(uid: user.localId)
      word = "TOKEN_EXPIRED"
    case "a disabled account":
      try await scene.backend.setDisabled(uid: user.localId, true)
      word = "USER_DISABLED"
    default:
      _ = try await scene.backend.deleteAccount(AccountName(user.localId))
      word = "USER_NOT_FOUND"
    }
    await expectRefusal(word) { try await scene.refresh(user.refreshToken) }
  }

  @Test func `within the grace all uses of one refresh token at once get the same next one`() async throws {
    let scene = Scene { $0.rotatesRefreshTokens = true }
    let user = try await scene.signUp()
    let next = await withTaskGroup(of: Secret?.self) { group in
      for _ in 0..<8 { group.addTask { try? await scene.refresh(user.refreshToken).refreshToken } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(next.count == 8 && Set(next).count == 1 && next.first != .some(nil))
  }

  @Test func `without a grace of many uses of one refresh token at once exactly one succeeds`() async throws {
    let scene = Scene {
      $0.rotatesRefreshTokens = true
      $0.rotationGrace = .zero
    }
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
