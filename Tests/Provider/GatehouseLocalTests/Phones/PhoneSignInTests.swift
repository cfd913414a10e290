import GatehouseBase
import GatehouseJOSE
import GatehouseLocal
import IdentityToolkit
import Testing

/// Sign-in with the code that was sent to a phone.
struct PhoneSignInTests {
  @Test func `a code signs a new user in, and the same user again`() async throws {
    let scene = PhoneScene()
    let first = try await scene.signIn()
    #expect(first.isNewUser == true && first.phoneNumber == PhoneScene.number)
    #expect(scene.pager.texts.count == 1)
    #expect(scene.pager.texts[0].text.revealed.hasPrefix("\(scene.pager.code.revealed) is your code for Gatehouse."))
    let claims = try UnverifiedToken(#require(first.idToken).revealed).claims
    #expect(claims["phone_number"]?.string == PhoneScene.number)
    #expect(claims["firebase"]?["sign_in_provider"]?.string == "phone")
    #expect(claims["firebase"]?["identities"]?["phone"] == .array([.string(PhoneScene.number)]))
    let account = try await scene.scene.lookUp(#require(first.idToken))
    #expect(account.phoneNumber == PhoneScene.number && account.profile.isAnonymous == false)
    #expect(account.providerUserInfo?.map(\.providerId) == ["phone"])
    let again = try await scene.signIn("+1 (202) 555-0123")
    #expect(again.localId == first.localId && again.isNewUser == false)
  }

  @Test(arguments: ["12025550123", "+0123456789", "+123456", "+1234567890123456", "+12a25550123", "+"])
  func `what is no number is refused`(number: String) async throws {
    let scene = PhoneScene()
    await expectRefusal("INVALID_PHONE_NUMBER") { try await scene.send(number) }
    await expectRefusal("MISSING_PHONE_NUMBER") { try await scene.send("") }
    #expect(scene.pager.texts.isEmpty)
  }

  @Test func `without a delivery it is refused`() async throws {
    let scene = Scene()
    await expectRefusal("OPERATION_NOT_ALLOWED") {
      try await scene.backend.answer(SendVerificationCode(phoneNumber: PhoneScene.number))
    }
  }

  @Test func `a code is good once, for five minutes, and for its own message`() async throws {
    let scene = PhoneScene()
    let session = try await scene.send()
    let code = scene.pager.code
    try await scene.signIn(.code(code, sessionInfo: session))
    await expectRefusal("INVALID_SESSION_INFO") { try await scene.signIn(.code(code, sessionInfo: session)) }
    let late = try await scene.send()
    scene.scene.clock.advance(by: 301)
    await expectRefusal("SESSION_EXPIRED") { try await scene.signIn(.code(scene.pager.code, sessionInfo: late)) }
    await expectRefusal("INVALID_SESSION_INFO") {
      try await scene.signIn(.code(scene.pager.code, sessionInfo: Secret("x")))
    }
    await expectRefusal("MISSING_CODE") { try await scene.signIn(.code(Secret(""), sessionInfo: session)) }
    await expectRefusal("MISSING_SESSION_INFO") { try await scene.signIn(.code(code, sessionInfo: Secret(""))) }
  }

  @Test func `five wrong guesses use a code up`() async throws {
    let scene = PhoneScene()
    let session = try await scene.send()
    let code = scene.pager.code
    for _ in 0..<5 {
      await expectRefusal("INVALID_CODE") {
        try await scene.signIn(.code(PhoneScene.wrong(code), sessionInfo: session))
      }
    }
    await expectRefusal("INVALID_SESSION_INFO") { try await scene.signIn(.code(code, sessionInfo: session)) }
  }

  @Test func `guesses at once are counted one by one`() async throws {
    let scene = PhoneScene()
    let session = try await scene.send()
    let wrong = PhoneScene.wrong(scene.pager.code)
    let refusals = await withTaskGroup(of: String?.self) { group in
      for _ in 0..<20 {
        group.addTask {
          do {
            try await scene.signIn(.code(wrong, sessionInfo: session))
            return nil
          } catch { return (error as? AuthError)?.serverCode }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(refusals.count { $0 == "INVALID_CODE" } == 5)
    #expect(refusals.count { $0 == "INVALID_SESSION_INFO" } == 15)
  }

  @Test func `a number gets so many texts and no more`() async throws {
    let scene = PhoneScene { $0.messageThrottle.attempts = 2 }
    _ = try await scene.send()
    _ = try await scene.send()
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await scene.send() }
    #expect(scene.pager.texts.count == 2)
    _ = try await scene.send("+12025550124")
  }

  @Test func `a number is given to an account, and another one in its place`() async throws {
    let scene = PhoneScene()
    let account = try await scene.scene.signUp()
    let session = try await scene.send()
    let linked = try await scene.signIn(.code(scene.pager.code, sessionInfo: session), .link, of: account.idToken)
    #expect(linked.localId == account.localId)
    #expect(try await scene.signIn().localId == account.localId)
    let second = try await scene.send("+12025550124")
    let idToken = try #require(linked.idToken)
    await expectRefusal(.providerAlreadyLinked) {
      try await scene.signIn(.code(scene.pager.code, sessionInfo: second), .link, of: idToken)
    }
    let third = try await scene.send("+12025550124")
    try await scene.signIn(.code(scene.pager.code, sessionInfo: third), .update, of: idToken)
    #expect(try await scene.signIn("+12025550124").localId == account.localId)
    #expect(try await scene.signIn().localId != account.localId, "the former number is free")
  }

  @Test func `a number of another account brings a proof, which signs in to that one`() async throws {
    let scene = PhoneScene()
    let owner = try await scene.signIn()
    let other = try await scene.scene.signUp()
    let session = try await scene.send()
    let answer = try await scene.signIn(.code(scene.pager.code, sessionInfo: session), .link, of: other.idToken)
    #expect(answer.idToken == nil && answer.phoneNumber == PhoneScene.number)
    let proof = try #require(answer.temporaryProof)
    await expectRefusal("INVALID_SESSION_INFO") {
      try await scene.signIn(.code(Secret("000000"), sessionInfo: proof))
    }
    await expectRefusal("INVALID_SESSION_INFO") {
      try await scene.signIn(.temporary(proof, number: "+12025550199"))
    }
    let second = try await scene.send()
    let again = try await scene.signIn(.code(scene.pager.code, sessionInfo: second), .link, of: other.idToken)
    let next = try #require(again.temporaryProof)
    #expect(try await scene.signIn(.temporary(next, number: PhoneScene.number)).localId == owner.localId)
    await expectRefusal("INVALID_SESSION_INFO") {
      try await scene.signIn(.temporary(next, number: PhoneScene.number))
    }
  }

  @Test func `a reauthentication makes no account`() async throws {
    let scene = PhoneScene()
    let session = try await scene.send()
    await expectRefusal("USER_NOT_FOUND") {
      try await scene.signIn(.code(scene.pager.code, sessionInfo: session), .reauthenticate)
    }
  }

  @Test func `a change of the number needs a recent sign-in, and ends the other sessions`() async throws {
    let scene = PhoneScene()
    let first = try await scene.signIn()
    let other = try await scene.signIn()
    let session = try await scene.send("+12025550124")
    try await scene.signIn(.code(scene.pager.code, sessionInfo: session), .update, of: first.idToken)
    await expectRefusal("TOKEN_EXPIRED") { try await scene.scene.refresh(#require(other.refreshToken)) }
    let late = try await scene.signIn("+12025550124")
    scene.scene.clock.advance(by: 301)
    let third = try await scene.send("+12025550125")
    await expectRefusal("CREDENTIAL_TOO_OLD_LOGIN_AGAIN") {
      try await scene.signIn(.code(scene.pager.code, sessionInfo: third), .update, of: late.idToken)
    }
  }

  @Test func `a phone is unlinked`() async throws {
    let scene = PhoneScene()
    let user = try await scene.signIn()
    _ = try await scene.scene.update(#require(user.idToken)) { $0.deleteProvider = ["phone"] }
    #expect(try await scene.signIn().localId != user.localId)
  }
}
