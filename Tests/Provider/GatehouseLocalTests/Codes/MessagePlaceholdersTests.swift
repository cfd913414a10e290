import Foundation
import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// Another person's text is no link in a message, whichever template and placeholder it comes by (decision 153).
struct MessagePlaceholdersTests {
  private static let takenBack = ActionCodeType(rawValue: "ADDRESS_TAKEN_BACK")
  /// A template alone: the code of its message is one of `revertSecondFactorAddition`.
  private static let removal = ActionCodeType(rawValue: "SECOND_FACTOR_REMOVAL")
  private static let action = "https://accounts.test/action"

  /// The placeholders, in the order of the page's columns.
  private static let names = [
    "APP_NAME", "LINK", "NOT_ME_LINK", "CREATED", "CREATED_FROM", "EMAIL", "NEW_EMAIL", "OLD_EMAIL", "ALONE_UNTIL",
    "UNTIL", "REMOVED_AT",
  ]
  /// Whose text each message has in each placeholder.
  private static let table: [(type: ActionCodeType, owners: [String: String])] = [
    (.passwordReset, ["APP_NAME": "operator", "LINK": "provider", "EMAIL": "reader", "NEW_EMAIL": "empty"]),
    (
      .verifyEmail,
      [
        "APP_NAME": "operator", "LINK": "provider", "NOT_ME_LINK": "provider", "CREATED": "provider",
        "CREATED_FROM": "caller", "EMAIL": "reader", "NEW_EMAIL": "empty",
      ]
    ),
    (.emailSignIn, ["APP_NAME": "operator", "LINK": "provider", "EMAIL": "reader", "NEW_EMAIL": "empty"]),
    (
      .verifyAndChangeEmail,
      [
        "APP_NAME": "operator", "LINK": "provider", "NOT_ME_LINK": "provider", "CREATED": "provider",
        "CREATED_FROM": "caller", "EMAIL": "account", "NEW_EMAIL": "reader",
      ]
    ),
    (.recoverEmail, ["APP_NAME": "operator", "LINK": "provider", "EMAIL": "reader", "NEW_EMAIL": "account"]),
    (takenBack, ["APP_NAME": "operator", "EMAIL": "account", "OLD_EMAIL": "reader"]),
    (
      .revertSecondFactorAddition,
      [
        "APP_NAME": "operator", "LINK": "provider", "EMAIL": "reader", "NEW_EMAIL": "empty", "ALONE_UNTIL": "provider",
        "UNTIL": "provider",
      ]
    ),
    (
      removal,
      [
        "APP_NAME": "operator", "LINK": "provider", "EMAIL": "reader", "NEW_EMAIL": "empty", "REMOVED_AT": "provider",
      ]
    ),
  ]

  enum Templates: String, CaseIterable, Sendable { case english = "en", german = "de", all }

  /// Templates with each placeholder, in the subject and the text.
  private static func all() -> MessageTemplates {
    var templates = MessageTemplates()
    for type in table.map(\.type) {
      let text = names.map { "\($0) is %\($0)% and %\($0)%," }.joined(separator: "\n")
      templates["en", type] = .init(subject: text.replacing("\n", with: " "), text: text)
    }
    return templates
  }

  /// Texts that a stranger may choose, as the local part of an address.
  static let localParts = [
    "www.evil.test/path?query", "evil.test/path?query", "http//evil.test/", "www.evil.test", "a//evil.test/x",
    "evil.test#", "b\u{FC}cher.example/x", "+12025550123/", "x(evil.test)", "\"evil.test\"", "tel=+12025550123",
    "a..b.test",
  ]

  @Test(arguments: localParts, Templates.allCases)
  func `no stranger's address is a link in another person's message`(
    localPart: String, templates: Templates
  ) async throws {
    let (scene, outbox) = Scene.sending {
      $0.actionURL = Self.action
      $0.appName = "The App"
      if templates == .all { $0.templates = Self.all() }
    }
    let locale = templates == .all ? nil : templates.rawValue
    let far = scene.backend.backend(for: Caller(address: "https://evil.test/\(localPart)"))
    let evil = "\(localPart)@mallory.test"
    func mallory(_ email: String) async throws -> SignInResponse {
      try await far.answer(SignUp(email: email, password: Secret("a long one"), displayName: "https://evil.test"))
    }
    // Messages to an address that no account has proved, about it. Another person may read it: a domain may have one
    // mailbox for all addresses.
    let user = try await mallory(evil)
    try await scene.send(.verifyEmail) { ($0.idToken, $0.locale) = (user.idToken, locale) }
    try await scene.send(.passwordReset) { ($0.email, $0.locale) = (evil, locale) }
    try await scene.send(.emailSignIn) { ($0.email, $0.locale) = ("\(localPart)@victim.test", locale) }
    // A message to a victim, first from an account that has not proved its address, then from one that has.
    for isProved in [false, true] {
      var change = UpdateAccount(localId: user.localId)
      change.emailVerified = isProved
      _ = try await scene.backend.answer(change)
      try await scene.send(.verifyAndChangeEmail) {
        ($0.idToken, $0.newEmail, $0.locale) = (user.idToken, "victim@victim.test", locale)
      }
    }
    // A thief of a session changes the victim's address, and the victim takes the change back. Another one adds a factor.
    func proved(_ email: String) async throws -> SignInResponse {
      let user = try await scene.signUp(email)
      var verified = UpdateAccount(localId: user.localId)
      verified.emailVerified = true
      _ = try await scene.backend.answer(verified)
      return user
    }
    _ = try await scene.enroll(try await proved("grace@victim.test").idToken)
    let other = "\(localPart)@other.test"
    _ = try await scene.update(try await proved("ada@victim.test").idToken) { $0.email = other }
    let back = try await scene.message(.recoverEmail, in: outbox)
    _ = try await scene.backend.answer(Update(oobCode: back.code))
    _ = try await scene.message(Self.takenBack, in: outbox)
    try await scene.backend.close()

    let messages = outbox.messages
    #expect(Set(messages.map(\.type)) == Set(Self.table.map(\.type)).subtracting([Self.removal]), "each kind is sent")
    #expect(messages.contains { $0.type == .recoverEmail && $0.recipient == "ada@victim.test" })
    for message in messages {
      let text = message.text.revealed
      let links = text.split { $0.isWhitespace || $0 == "," }.map(String.init).filter { $0.contains(Self.action) }
        .map { String($0[($0.range(of: Self.action)?.lowerBound ?? $0.startIndex)...]) }
      // Ada's address is proved. Her own, plain one may be named to its reader too.
      let linkifier = Linkifier(
        allowed: links + [
          message.link.revealed, "ada@victim.test", "grace@victim.test", "victim@victim.test", "2027-01-15T08:00:00Z",
          "2027-01-18T08:00:00Z", "2027-02-14T08:00:00Z",
        ])
      for part in [message.subject, text] {
        let found = linkifier.links(in: part)
        #expect(found.isEmpty, "\(message.type.rawValue) to \(message.recipient): \(found)\n\(part)")
      }
      if templates == .all {
        let left = Set(text.matches(of: /%([A-Z_]+)%/).map { String($0.1) })
        let owners = try #require(Self.table.first { $0.type == message.type }).owners
        #expect(left == Set(Self.names).subtracting(owners.keys), "\(message.type.rawValue)")
      }
    }
  }

  @Test func `the table of the page is the one that is tested`() throws {
    let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(5).joined(separator: "/")
    let page = try String(contentsOfFile: root + "/Docs/accounts.md", encoding: .utf8)
    let dashes = String(repeating: "---|", count: Self.names.count + 1)
    let head = "| message | \(Self.names.map { "`%\($0)%`" }.joined(separator: " | ")) |\n|\(dashes)\n"
    let rows = Self.table.map { type, owners in
      "| `\(type.rawValue)` | \(Self.names.map { owners[$0] ?? "" }.joined(separator: " | ")) |\n"
    }
    #expect(page.contains(head + rows.joined()))
    // No built-in template has another placeholder.
    let templates = MessageTemplates()
    for type in Self.table.map(\.type) {
      for language in ["en", "de"] {
        let template = try #require(templates[language, type])
        let used = (template.subject + template.text).matches(of: /%([A-Z_]+)%/).map { String($0.1) }
        #expect(Set(used).isSubset(of: Self.names))
      }
    }
  }

  /// A program that is no server may name its callers by any text.
  @Test(arguments: [
    "www.evil.test", "evil.test/path", "https://evil.test", "mailto:eve@evil.test", "eve@evil.test", "evil\u{3002}test",
    "evil\u{FF0E}test", "ev\u{200B}il.t\u{200B}est", "evil.\u{200B}test", "evil\n.test", "b\u{FC}cher.example",
    "\u{43F}\u{440}\u{438}\u{43C}\u{435}\u{440}.\u{440}\u{444}", "tel:+12025550123", "call +1 202-555-0123 now",
    "\u{202E}tset.live", "1.2.3.4%www.evil.test", "<a href=x>", "//evil.test", "javascript:x", "evil.1test.x",
    "eve\u{FF20}evil\u{FF0E}test", "a.b.c.d", "evil\u{2024}test", "x\u{2028}https://evil.test", "https:\\\\evil.test",
  ])
  func `no text of a caller is a link in a message`(text: String) async throws {
    let (scene, outbox) = Scene.sending { $0.actionURL = Self.action }
    let far = scene.backend.backend(for: Caller(address: text))
    let user = try await far.answer(SignUp(email: "ada@example.com", password: Secret("a long one")))
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    let message = try #require(outbox.messages.last)
    let lines = message.text.revealed.split(separator: "\n")
    let own = lines.filter { $0.hasPrefix(Self.action) }.map(String.init)
    #expect(own.count == 2 && lines.count(where: { $0.contains("network address") }) == 1, "\(lines)")
    let found = Linkifier(allowed: own + ["ada@example.com", "2027-01-15T08:00:00Z"]).links(in: message.text.revealed)
    #expect(found.isEmpty, "\(found)\n\(message.text.revealed)")
  }

  @Test(arguments: ["J. Smith", "198.51.100.7", "2001:db8::7", "the lobby, no. 5", "version 1.2", "12:30"])
  func `a text without a link stays as it is`(text: String) async throws {
    let (scene, outbox) = Scene.sending()
    let far = scene.backend.backend(for: Caller(address: text))
    let user = try await far.answer(SignUp(email: "ada@example.com", password: Secret("a long one")))
    try await scene.send(.verifyEmail) { $0.idToken = user.idToken }
    #expect(outbox.messages.last?.text.revealed.contains("(network address: \(text))") == true)
  }

  @Test func `an address is named to its reader, and to others once its account has proved it`() async throws {
    let (scene, outbox) = Scene.sending()
    let user = try await scene.signUp("j.o'neil+x_1-a@mail.b\u{FC}cher.example")
    for isProved in [false, true] {
      var change = UpdateAccount(localId: user.localId)
      change.emailVerified = isProved
      _ = try await scene.backend.answer(change)
      try await scene.send(.verifyAndChangeEmail) { ($0.idToken, $0.newEmail) = (user.idToken, "ada@example.com") }
      let text = try #require(outbox.messages.last).text.revealed
      #expect(text.contains("j.o'neil+x_1-a@mail.b\u{FC}cher.example") == isProved)
      #expect(text.contains("ada@example.com") && text.contains("***") != isProved)
    }
  }

  @Test func `a domain with a character that no host has in its name is refused`() async throws {
    let scene = Scene()
    for domain in ["evil.test/path", "example.com?x", "example.com#", "example.com&x", "b\u{FC}cher.example/x"] {
      await expectRefusal("INVALID_EMAIL") { try await scene.signUp("ada@\(domain)") }
    }
    for email in ["a/b?c@example.com", "ada@[192.0.2.1]", "ada@my_host.example"] { try await scene.signUp(email) }
  }

  @Test func `a text to a phone has no other person's text`() async throws {
    let phones = PhoneScene { $0.appName = "The App" }
    _ = try await phones.send()
    let text = try #require(phones.pager.texts.first).text.revealed
    #expect(text == "\(phones.pager.code.revealed) is your code for The App. Give it to no other person.")
    #expect(Linkifier(allowed: [phones.pager.code.revealed]).links(in: text).isEmpty)
  }

  @Test(arguments: [
    "see evil.test now", "www.evil", "x@y", "mailto:x", "call +1 202 555 0123", "http://x", "b\u{FC}cher.example",
    "ev\u{200B}il.test", "evil\u{3002}test", "xada@victim.test", "ada@victim.test/x", "//evil",
  ])
  func `the test's own finder of links finds each of these`(text: String) {
    #expect(!Linkifier(allowed: ["ada@victim.test"]).links(in: text).isEmpty)
  }
}
