import Foundation
import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import GatehouseTesting
import HangGuard
import IdentityToolkit
import Testing

/// Messages through a mail program that a test makes.
struct SendmailTests {
  private static func scene(_ script: String, timeout: Duration = .seconds(Watchdog.seconds)) throws -> Scene {
    let folder = TemporaryFolder()
    let program = folder.path + "/sendmail"
    try Data("#!/bin/sh\nfolder=\(folder.path)\n\(script)\n".utf8).write(to: URL(fileURLWithPath: program))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
    kept.withLock { $0.append(folder) }
    return Scene { options in
      options.delivery = SendmailDelivery(program: program, from: "noreply@example.com", timeout: timeout)
    }
  }

  /// Until the process ends: programs live in them.
  private static let kept = Lock<[TemporaryFolder]>([])

  @Test func `a mail program gets the message, two arguments, and nothing of this process`() async throws {
    let folder = TemporaryFolder()
    let program = folder.path + "/sendmail"
    let script = """
      #!/bin/sh
      cat > \(folder.path)/mail; echo "$*" > \(folder.path)/arguments; env > \(folder.path)/variables
      ls /proc/self/fd > \(folder.path)/files
      """
    try Data(script.utf8).write(to: URL(fileURLWithPath: program))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
    let clocks = ManualClocks(wall: 1_700_000_000)
    let scene = Scene { $0.delivery = SendmailDelivery(program: program, from: "noreply@example.com", clocks: clocks) }
    try await scene.signUp()
    try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    func read(_ name: String) throws -> String { try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8) }
    let mail = try read("mail")
    #expect(mail.hasPrefix("From: noreply@example.com\nTo: ada@example.com\nSubject: "))
    #expect(mail.contains("\n\n") && !mail.contains("\r"))
    #expect(mail.contains("\nDate: Tue, 14 Nov 2023 22:13:20 +0000\n"))
    #expect(mail.contains(#/\nMessage-ID: <[A-Za-z0-9_-]+@example\.com>\n/#))
    #expect(try read("arguments") == "-t -i\n")
    #expect(try !read("variables").contains("HOME="))
    #expect(try read("files").split(separator: "\n").count <= 4)
  }

  @Test(arguments: [
    ("Follow\n\n%LINK%\n", true), ("Grüße: %LINK%", false), ("\u{1}%LINK%", false), ("From %LINK%", false),
    (String(repeating: "x", count: 999) + "\n%LINK%", false),
  ]) func `the link of a message can be read in its file, if the text is plain`(text: String, isPlain: Bool)
    async throws
  {
    let outbox = TemporaryFolder()
    let scene = Scene { options in
      options.templates["en", .passwordReset] = .init(subject: "A password", text: text)
      options.delivery = FileDelivery(folder: outbox.path)
    }
    try await scene.signUp()
    try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    let file = try #require(try FileManager.default.contentsOfDirectory(atPath: outbox.path).first)
    let mail = try String(contentsOfFile: outbox.path + "/" + file, encoding: .utf8)
    #expect(mail.contains("Content-Transfer-Encoding: \(isPlain ? "7bit" : "base64")\r\n"))
    #expect(mail.contains("oobCode=") == isPlain)
    #expect(mail.hasSuffix("\r\n") && mail.contains("\r\n\r\n"))
  }

  @Test(arguments: [
    (67, AuthError.Code.invalidRecipientEmail), (68, .invalidRecipientEmail), (75, .providerUnavailable),
    (1, .providerUnavailable), (127, .providerUnavailable),
  ]) func `a mail program's status says why it refuses`(_ status: Int, _ code: AuthError.Code) async throws {
    let scene = try Self.scene("cat > /dev/null; exit \(status)")
    try await scene.signUp()
    let error = await expectRefusal(code) { try await scene.send(.passwordReset) { $0.email = "ada@example.com" } }
    #expect(error?.message.contains("\(status)") == true)
  }

  @Test func `a mail program that does not end is ended, with what it has started`() async throws {
    let scene = try Self.scene("trap '' TERM; sleep 1000 & wait", timeout: .seconds(-1))
    // Its time is over at once; the clock is not waited for.
    try await scene.signUp()
    let error = await expectRefusal(.providerUnavailable) {
      try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    }
    #expect(error?.message.contains("was ended") == true)
  }

  @Test func `a mail program that is missing is an error`() async throws {
    let scene = Scene { $0.delivery = SendmailDelivery(program: "/nowhere/sendmail", from: "noreply@example.com") }
    try await scene.signUp()
    let error = await expectRefusal(.providerUnavailable) {
      try await scene.send(.passwordReset) { $0.email = "ada@example.com" }
    }
    #expect(error?.message.contains("/nowhere/sendmail") == true)
  }

  @Test(arguments: [
    ("a,b@example.com", "\"a,b\"@example.com"), ("a<b@example.com", "\"a<b\"@example.com"),
    ("a\"b@example.com", "\"a\\\"b\"@example.com"), ("\"a;b\"@example.com", "\"a;b\"@example.com"),
    ("a+b@example.com", "a+b@example.com"),
  ]) func `an address is one recipient, whatever is in it`(_ address: String, _ field: String) async throws {
    let folder = TemporaryFolder()
    let scene = Scene { $0.delivery = FileDelivery(folder: folder.path) }
    try await scene.signUp(address)
    try await scene.send(.passwordReset) { $0.email = address }
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
    let mail = try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8)
    #expect(mail.contains("\r\nTo: \(field)\r\n"), "\(mail)")
  }

  @Test func `an address whose domain would be another recipient, or that no mail program takes, is refused`()
    async throws
  {
    let folder = TemporaryFolder()
    let scene = Scene { $0.delivery = FileDelivery(folder: folder.path) }
    await expectRefusal("INVALID_EMAIL") { try await scene.signUp("a@example.com,root") }
    try await scene.signUp("a@[192.0.2.1]")
    await expectRefusal(.invalidRecipientEmail) {
      try await scene.send(.passwordReset) { $0.email = "a@[192.0.2.1]" }
    }
  }
}
