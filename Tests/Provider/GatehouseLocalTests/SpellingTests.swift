import GatehouseBase
import GatehouseCrypto
import GatehouseLocal
import IdentityToolkit
import Testing

/// Every spelling of an address is the same address.
struct SpellingTests {
  struct Spelling: Sendable, CustomTestStringConvertible {
    let name: String
    let given: String
    let stored: String
    var testDescription: String { name }
  }

  static let spellings = [
    Spelling(name: "upper-case ASCII", given: "Ada@Example.COM", stored: "ada@example.com"),
    Spelling(name: "upper-case Ä", given: "\u{C4}da@example.com", stored: "\u{E4}da@example.com"),
    Spelling(name: "NFD", given: "a\u{308}da@example.com", stored: "\u{E4}da@example.com"),
    Spelling(name: "upper-case NFD", given: "A\u{308}da@example.com", stored: "\u{E4}da@example.com"),
    Spelling(name: "NFC of what is stored as NFC", given: "\u{E4}da@example.com", stored: "\u{E4}da@example.com"),
    Spelling(name: "an upper-case domain in NFD", given: "ada@A\u{308}RZTE.example", stored: "ada@\u{E4}rzte.example"),
    Spelling(
      name: "fullwidth", given: "\u{FF21}\u{FF44}\u{FF41}\u{FF20}example\u{FF0E}com", stored: "ada@example.com"),
    Spelling(name: "halfwidth", given: "\u{FF76}\u{FF9E}@example.com", stored: "\u{30AC}@example.com"),
    Spelling(name: "a decomposed syllable", given: "\u{CE3C}\u{11AE}@example.com", stored: "\u{CE43}@example.com"),
    Spelling(name: "ß, which stays", given: "STRA\u{DF}E@example.com", stored: "stra\u{DF}e@example.com"),
    Spelling(name: "a capital ß", given: "STRA\u{1E9E}E@example.com", stored: "stra\u{DF}e@example.com"),
    Spelling(
      name: "a final sigma", given: "\u{39F}\u{394}\u{39F}\u{3A3}@example.com",
      stored: "\u{3BF}\u{3B4}\u{3BF}\u{3C2}@example.com"),
  ]

  @Test(arguments: spellings) func `an account is found by every spelling of its address`(
    _ spelling: Spelling
  ) async throws {
    let scene = Scene()
    let user = try await scene.signUp(spelling.given)
    #expect(try await scene.signIn(spelling.given).localId == user.localId)
    #expect(try await scene.signIn(spelling.stored).localId == user.localId)
    let taken = await expectRefusal("EMAIL_EXISTS") { try await scene.signUp(spelling.stored) }
    #expect(taken?.email.map { Array($0.utf8) } == Array(spelling.stored.utf8))
    let another = Scene()
    let first = try await another.signUp(spelling.stored)
    #expect(try await another.signIn(spelling.given).localId == first.localId)
    await expectRefusal("EMAIL_EXISTS") { try await another.signUp(spelling.given) }
  }

  @Test(arguments: spellings) func `answers and tokens show the stored form`(_ spelling: Spelling) async throws {
    let scene = Scene()
    let stored = Array(spelling.stored.utf8)
    let user = try await scene.signUp(spelling.given)
    #expect(user.email.map { Array($0.utf8) } == stored)
    #expect(try await scene.signIn(spelling.given).email.map { Array($0.utf8) } == stored)
    let account = try await scene.lookUp(user.idToken)
    #expect(account.email.map { Array($0.utf8) } == stored)
    #expect(account.providerUserInfo?.first?.rawId.map { Array($0.utf8) } == stored)
    let claims = try JSONObject(parsing: try Base64URL.decode(String(user.idToken.revealed.split(separator: ".")[1])))
    #expect(claims["email"]?.string.map { Array($0.utf8) } == stored)
  }

  @Test(arguments: [
    ("ada@b\u{FC}cher.example", "ada@xn--bcher-kvb.example"), ("ada@example.com", "ada@example.com."),
    ("ada@example.com", "\"ada\"@example.com"), ("ada@example.com", "ada+tag@example.com"),
    ("ada.b@example.com", "adab@example.com"), ("ada@example.com", "ada@example\u{3002}com"),
    ("stra\u{DF}e@example.com", "strasse@example.com"),
  ])
  func `spellings that are not merged are accounts of their own`(_ one: String, _ other: String) async throws {
    let scene = Scene()
    let user = try await scene.signUp(one)
    do {
      #expect(try await scene.signUp(other).localId != user.localId)
    } catch {
      #expect((error as? AuthError)?.serverCode == "INVALID_EMAIL", "it is not merged, and no address either: \(error)")
    }
    #expect(try await scene.signIn(one).localId == user.localId)
  }

  @Test(arguments: [
    "ada@example\u{3002}com", "ada@example\u{FF61}com", "ada@example..com", "ada@.example", "ada@-a.example",
    "ada@a-.example", "ada@example.com.",
  ])
  func `an address whose domain is none makes no account`(_ email: String) async throws {
    await expectRefusal("INVALID_EMAIL") { try await Scene().signUp(email) }
  }

  @Test func `another spelling of one's own address changes nothing`() async throws {
    let scene = Scene()
    let user = try await scene.signUp("\u{E4}da@example.com")
    let answer = try await scene.update(user.idToken) { $0.email = "A\u{308}DA@example.com" }
    #expect(answer.email?.unicodeScalars.count == 15 && answer.refreshToken == nil)
    _ = try await scene.refresh(user.refreshToken)
  }

  @Test func `another spelling of another user's address is taken`() async throws {
    let scene = Scene()
    try await scene.signUp("\u{E4}da@example.com")
    let user = try await scene.signUp("grace@example.com")
    await expectRefusal("EMAIL_EXISTS") {
      try await scene.update(user.idToken) { $0.email = "A\u{308}DA@example.com" }
    }
    let anonymous = try await scene.signUpAnonymously()
    await expectRefusal("EMAIL_EXISTS") {
      let link = SignUp(
        email: "\u{C4}DA@example.com", password: Secret("correct horse"), linkingTo: anonymous.idToken)
      return try await scene.backend.answer(link)
    }
  }

  @Test func `every spelling counts against the same throttle`() async throws {
    let scene = Scene { $0.throttle = Throttle(attempts: 2) }
    try await scene.signUp("\u{E4}da@example.com")
    await expectRefusal("INVALID_PASSWORD") { try await scene.signIn("\u{C4}da@example.com", "wrong horse") }
    await expectRefusal("INVALID_PASSWORD") { try await scene.signIn("a\u{308}da@example.com", "wrong horse") }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") { try await scene.signIn("\u{E4}da@example.com") }
  }

  @Test(arguments: ["ada@b\u{FF20}c.com", "a\u{3000}da@example.com", "\u{FF20}example.com", "ada\u{FF20}"])
  func `an address that is malformed after mapping is refused`(_ address: String) async {
    let scene = Scene()
    await expectRefusal("INVALID_EMAIL") { try await scene.signUp(address) }
  }

  /// Addresses that print like others, or like nothing, and the reason for their refusal.
  static let lookAlikes = [
    ("ada\u{200B}@example.com", "U+200B is invisible"), ("ada\u{FE0F}@example.com", "U+FE0F is invisible"),
    ("a\u{AD}da@example.com", "U+00AD is invisible"), ("ada\u{202E}@example.com", "U+202E is invisible"),
    ("ada\u{200D}@example.com", "U+200D is invisible"), ("\u{FFA0}ada@example.com", "U+3164 is invisible"),
    ("\u{FB01}n@example.com", "U+FB01 is a compatibility character"),
    ("\u{1D400}da@example.com", "U+1D400 is a compatibility character"),
    ("ada@example\u{2024}com", "U+2024 is a compatibility character"),
    ("\u{2163}@example.com", "U+2173 is a compatibility character"),
    ("\u{600}ada@example.com", "U+0600 is a control character"),
    ("ada\u{E000}@example.com", "U+E000 is for private use"), ("ada\u{378}@example.com", "U+0378 is not assigned"),
    ("ada@\u{10FFFF}.com", "U+10FFFF is not assigned"),
  ]

  @Test(arguments: lookAlikes) func `no account gets an address that prints like another one`(
    _ address: String, _ reason: String
  ) async throws {
    let scene = Scene()
    let user = try await scene.signUp("ada@example.com")
    let anonymous = try await scene.signUpAnonymously()
    let errors = [
      await expectRefusal("INVALID_EMAIL") { try await scene.signUp(address) },
      await expectRefusal("INVALID_EMAIL") { try await scene.update(user.idToken) { $0.email = address } },
      await expectRefusal("INVALID_EMAIL") {
        let link = SignUp(email: address, password: Secret("correct horse"), linkingTo: anonymous.idToken)
        return try await scene.backend.answer(link)
      },
    ]
    for error in errors {
      #expect(error?.code == .invalidEmail)
      #expect(error?.message.contains(reason) == true, "\(error?.message ?? "no error")")
      #expect(error?.message.utf8.allSatisfy { $0 < 0x80 } == true)
    }
    #expect(try await scene.lookUp(user.idToken).email == "ada@example.com")
  }

  @Test(arguments: [
    "o'neil+tag_x-1!#$%&*/=?^`{|}~@example.com", "\u{436}\u{443}\u{43A}@example.com", "\u{65E5}\u{672C}@example.com",
    "\u{939}\u{93F}\u{928}\u{94D}\u{926}\u{940}@example.com", "\u{661}\u{662}@example.com",
    "\u{D55C}\u{AE00}@example.com", "\u{5D0}\u{5B8}@example.com", "\u{10D0}\u{10D1}@example.com",
    "pa\u{B7}le\u{2019}n@example.com", "\u{1F600}@example.com",
  ])
  func `letters, digits, marks and signs of every script make an address`(_ address: String) async throws {
    let scene = Scene()
    let user = try await scene.signUp(address)
    #expect(try await scene.signIn(address).localId == user.localId)
  }

  @Test func `the limit is one of the stored form`() async throws {
    let scene = Scene()
    let end = "@example.com"
    // 732 bytes as it is written, 244 as it is stored.
    let wide = String(repeating: "\u{FF21}", count: 244)
    let user = try await scene.signUp(wide + end)
    #expect(user.email == String(repeating: "a", count: 244) + end)
    await expectRefusal("INVALID_EMAIL") { try await scene.signUp(wide + "\u{FF21}" + end) }
    // 2 bytes become 3: U+023A is U+2C65 in lower case.
    let growing = String(repeating: "\u{23A}", count: 81)
    try await scene.signUp(growing + "b" + end)
    await expectRefusal("INVALID_EMAIL") { try await scene.signUp(growing + "\u{23A}" + end) }
  }
}
