import Foundation
import GatehouseBase
import Testing

struct SecretTests {
  private struct Holder {
    let password: Secret
    let optional: Secret?
  }

  private static let secret = Secret("hunter2")

  /// Everything that prints a value, over a secret and what holds one.
  static let printed: [String] = {
    let holder = Holder(password: secret, optional: secret)
    let values: [Any] = [
      secret, secret as Secret? as Any, [secret], ["key": secret], holder, Result<Secret, any Error>.success(secret),
      (secret, 1),
      SessionTokens(
        idToken: secret, refreshToken: secret, lifetimeSeconds: 1, received: ClockReading(wall: 0, boot: 0, bootID: "")),
    ]
    return values.flatMap { value in
      var dumped = ""
      dump(value, to: &dumped)
      var written = ""
      print(value, to: &written)
      let mirror = Mirror(reflecting: value)
      return [
        dumped, written, "\(value)", String(describing: value), String(reflecting: value), mirror.description,
        mirror.children.map { "\($0)" }.joined(),
      ]
    }
  }()

  @Test func `a secret is not seen however it is printed`() {
    #expect(Self.printed.count == 56)
    for text in Self.printed { #expect(!text.contains("hunter2")) }
    #expect("\(Self.secret)" == "•••")
    #expect(Self.secret.debugDescription == "•••")
    #expect(Mirror(reflecting: Self.secret).children.isEmpty)
    // The same ways of printing show what is no secret: they can fail.
    #expect(String(reflecting: "hunter2" as String?).contains("hunter2"))
  }

  @Test func `whoever asks by name gets the text, byte for byte`() {
    #expect(Self.secret.revealed == "hunter2")
    #expect(Array(Secret("e\u{301}\0 \n").revealed.utf8) == Array("e\u{301}\0 \n".utf8))
  }

  @Test func `a store can keep a secret`() throws {
    let data = try JSONEncoder().encode([Self.secret])
    #expect(data == Data(#"["hunter2"]"#.utf8))
    #expect(try JSONDecoder().decode([Secret].self, from: data) == [Self.secret])
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([Secret].self, from: Data("[1]".utf8)) }
  }

  @Test func `two spellings of a letter are two secrets`() {
    let one = Secret("caf\u{E9}"), other = Secret("cafe\u{301}")
    #expect(one != other)
    #expect(Set([one, other, Secret("caf\u{E9}")]).count == 2)
    #expect(Secret("abc") != Secret("abd") && Secret("abc") != Secret("ab") && Secret("abc") == Secret("abc"))
  }
}
