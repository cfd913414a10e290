import Foundation
import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// What ends the codes of messages: each kind of code, and each event before it is used.
struct CodeLifeTests {
  /// What a code does after an event: the cells of the table in `Docs/SECURITY.md`.
  private enum Life: String {
    case alive, delayed, ended
  }

  /// The words of refused codes.
  private static let words = [
    "INVALID_OOB_CODE", "EXPIRED_OOB_CODE", "USER_NOT_FOUND", "USER_DISABLED", "MFA_ENROLLMENT_NOT_FOUND",
  ]

  @Test func `a code is ended by the events that the table names, and by no others`() async throws {
    let header = ["event"] + CodeKind.allCases.map(\.rawValue)
    var lines = [header, header.map { _ in "---" }].map { "| \($0.joined(separator: " | ")) |" }
    for event in CodeEvent.all {
      let cells = try await Self.lives(after: event).map(\.rawValue)
      lines.append("| \(([event.description] + cells).joined(separator: " | ")) |")
    }
    let page = URL(filePath: #filePath).appending(path: "../../../../../Docs/SECURITY.md").standardized
    let documented = try String(contentsOf: page, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let start = documented.firstIndex(of: lines[0]) ?? documented.endIndex
    let table = Array(documented[start...].prefix { $0.hasPrefix("|") })
    #expect(table == lines, "Docs/SECURITY.md needs this table:\n\(lines.joined(separator: "\n"))")
  }

  @Test func `a password reset at a new address ends the code that refuses the change to it`() async throws {
    let stage = CodeStage()
    var subject = try await stage.account(.notMyChange)
    let (idToken, new) = (subject.idToken, "new@example.com")
    let message = try await stage.sent(.verifyAndChangeEmail, to: new) { ($0.idToken, $0.newEmail) = (idToken, new) }
    try await stage.apply(message.code)
    subject.email = new
    try await stage.reset(subject)
    let refusal = try CodeStage.secondCode(of: message)
    await expectRefusal("INVALID_OOB_CODE") { try await stage.apply(refusal) }
  }

  /// What each kind of code does after an event.
  private static func lives(after event: CodeEvent) async throws -> [Life] {
    var stage = CodeStage()
    try await stage.fill()
    stage.scene.clock.advance(by: event.seconds)
    var lives: [Life] = []
    for kind in CodeKind.allCases {
      var subject = try #require(stage.subjects.first { $0.kind == kind })
      do { try await event.act(stage, &subject) } catch { Issue.record("\(kind.rawValue), \(event): \(error)") }
      lives.append(await life(of: subject, after: event, in: stage))
    }
    return lives
  }

  private static func life(of subject: CodeStage.Subject, after event: CodeEvent, in stage: CodeStage) async -> Life {
    let isCalledGood = (try? await stage.scene.backend.answer(ResetPassword(oobCode: subject.code))) != nil
    let life: Life
    do throws(AuthError) {
      try await stage.use(subject)
      life = .alive
    } catch {
      life = error.serverCode == "SECOND_FACTOR_REMOVAL_DELAYED" ? .delayed : .ended
      // A code is refused for a reason of its own, and not because the call fails.
      let isRefusal = life == .delayed || words.contains(error.serverCode ?? "")
      #expect(isRefusal, "\(subject.kind.rawValue), \(event): \(error)")
    }
    // An account that is disabled says nothing of a link that signs in.
    let isHidden = subject.kind == .signIn && event.description == "an administrator disables the account"
    let isSame = isCalledGood == (life != .ended)
    #expect(isHidden || isSame, "\(subject.kind.rawValue), \(event): the check says otherwise")
    return life
  }
}
