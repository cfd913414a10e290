import Foundation
import GatehouseBase
import GatehouseCrypto
import GatehouseLocal
import IdentityToolkit
import Testing

struct LeakedPasswordsTests {
  private static let folder = TemporaryFolder()

  private static func file(_ text: String) throws -> String {
    let path = folder.path + "/" + UUID().uuidString
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  private static func hash(_ password: String) throws -> String {
    try LegacyHash.sha1.hash(Array(password.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
      .joined()
  }

  @Test(arguments: ["hashes", "hashes with counts", "upper case and CR LF", "plain lines", "plain lines, no end"])
  func `every line of a list is found, and nothing else`(_ form: String) async throws {
    let words = (1...500).map { "password \($0 * 37)" }
    var lines = form.hasPrefix("plain") ? words : try words.map(Self.hash)
    if form == "hashes with counts" { lines = lines.enumerated().map { "\($1):\($0 * $0)" } }
    if form.hasPrefix("upper") { lines = lines.map { $0.uppercased() + ":1" } }
    lines.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let end = form.hasPrefix("upper") ? "\r\n" : "\n"
    let text = lines.joined(separator: end) + (form.hasSuffix("no end") ? "" : end)
    let list = try LeakedPasswords(file: Self.file(text))
    let scene = Scene { $0.leakedPasswords = list }
    for (number, word) in words.enumerated() {
      let error = await expectRefusal("WEAK_PASSWORD") { try await scene.signUp("user\(number)@example.com", word) }
      #expect(error?.message.contains(word) == false)
    }
    for word in ["password 36", "password 38", "aaaaaa", "zzzzzz", "~~~~~~"] {
      try await scene.signUp("\(word.filter { $0 != " " })@example.com", word)
    }
  }

  @Test func `a leaked password is refused wherever an account gets one, and an old one signs in`() async throws {
    let list = try LeakedPasswords(file: Self.file("another horse\ncorrect horse\n"))
    let scene = Scene()
    let user = try await scene.signUp()
    let strict = scene.another { $0.leakedPasswords = list }
    let call = SignInWithPassword(email: "ada@example.com", password: Secret("correct horse"))
    _ = try await strict.answer(call)
    var update = Update(idToken: user.idToken)
    update.password = Secret("another horse")
    await expectRefusal("WEAK_PASSWORD") { [update] in try await strict.answer(update) }
    var edit = AccountEdit()
    edit.password = Secret("another horse")
    await expectRefusal("WEAK_PASSWORD") { [edit] in
      try await strict.updateAccount(AccountName("ada@example.com"), edit)
    }
  }

  @Test func `a file that is no sorted list is refused`() throws {
    let first = try Self.hash("a")
    for text in ["", "b\na\n", "\(first)\nnonsense\n", String(repeating: "x", count: 9000) + "\n"] {
      let file = try Self.file(text)
      let error = #expect(throws: AuthError.self) { try LeakedPasswords(file: file) }
      #expect(error?.code == .invalidArgument)
    }
    let missing = #expect(throws: AuthError.self) { try LeakedPasswords(file: "/nowhere/at/all") }
    #expect(missing?.code == .providerUnavailable)
  }

  @Test func `a list that is gone is an error, and no leave to pass`() async throws {
    let file = try Self.file("aaaaaa\n")
    let list = try LeakedPasswords(file: file)
    try FileManager.default.removeItem(atPath: file)
    let scene = Scene { $0.leakedPasswords = list }
    await expectRefusal(.providerUnavailable) { try await scene.signUp() }
  }
}
