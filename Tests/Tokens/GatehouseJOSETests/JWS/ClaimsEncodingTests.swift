import Foundation
import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

struct `Claims of a type of one's own` {
  private struct Visitor: Codable, Equatable {
    var sub = "ada"
    var exp = Date(wall: 1_700_003_500.9)
    var iat = Date(wall: 1_699_999_900.9)
    var nbf: Date? = Date(wall: 1_699_999_900.5)
    var seen = [Date(wall: 1.5)]
    var roles = ["admin"]
    var site = "https://example.com/a"
    var ratio = 0.5
    var extra: JSONObject = ["z": 1, "a": .null]
  }

  private static let signer = TokenScene.made { try TokenSigner(key: TokenScene.p256, keyID: "p256") }

  private static func refusal(_ claims: some Encodable, limits: TokenLimits? = nil) -> AuthError? {
    do throws(AuthError) {
      _ = try typed { try signer.sign(claims, limits: limits) }
      return nil
    } catch { return error }
  }

  @Test func `are signed with dates in whole seconds since 1970, rounded down`() throws {
    let token = try Self.signer.sign(Visitor())
    let policy = VerificationPolicy(algorithms: [.ES256])
    let verified = try TokenVerifier(keys: TokenScene.keys, policy: policy).verify(token, at: TokenScene.now)
    #expect(
      verified.claims.description == """
        {"exp":1700003500,"extra":{"a":null,"z":1},"iat":1699999900,"nbf":1699999900,"ratio":0.5,"roles":["admin"],\
        "seen":[1],"site":"https://example.com/a","sub":"ada"}
        """)
    var expected = Visitor()
    expected.exp = Date(wall: 1_700_003_500)
    expected.iat = Date(wall: 1_699_999_900)
    expected.nbf = expected.iat
    expected.seen = [Date(wall: 1)]
    expected.extra = ["a": .null, "z": 1]
    #expect(try verified.decode(Visitor.self) == expected)
    #expect(verified.header.type == "JWT" && verified.header.keyID == "p256")
  }

  @Test func `are never valid too late, whatever the fraction of a second is`() throws {
    for fraction in [0, 0.001, 0.5, 0.999999] {
      let claims = ["exp": Date(wall: 1_700_000_600 + fraction), "iat": Date(wall: 1_700_000_000 + fraction)]
      let token = try UnverifiedToken(Self.signer.sign(claims))
      #expect(token.claims == ["exp": 1_700_000_600, "iat": 1_700_000_000])
    }
  }

  @Test func `written as a literal keep their order`() throws {
    // A dictionary would be sorted.
    let token = try UnverifiedToken(Self.signer.sign(["sub": "ada", "iss": "me"]))
    #expect(token.claims.names == ["sub", "iss"])
  }

  @Test func `are refused unless they are an object`() {
    #expect(Self.refusal([1, 2])?.code == .claimInvalid)
    #expect(Self.refusal("text")?.code == .claimInvalid)
    #expect(Self.refusal(7)?.message.contains("struct or a dictionary") == true)
    #expect(Self.refusal([String: Int]?.none)?.code == .claimInvalid)
  }

  @Test func `are refused with numbers and moments that a token cannot have, by their path`() {
    for number in [Double.nan, .infinity, -.infinity] {
      let error = Self.refusal(["a": ["b": number]])
      #expect(error?.code == .claimInvalid)
      #expect(error?.message == "a.b is not a value that JSON can have")
    }
    for moment in [Date(wall: -0.5), .distantPast, Date(wall: 253_402_300_800), Date(wall: .nan), Date(wall: 1e300)] {
      let error = Self.refusal(["exp": moment])
      #expect(error?.code == .claimInvalid)
      #expect(error?.message == "exp is before 1970 or after the year 9999")
    }
    #expect(Self.refusal(["exp": Date(wall: 253_402_300_799.5)]) == nil)
    #expect(Self.refusal(["exp": Date(wall: 0)]) == nil)
  }

  @Test func `are refused with names in ASCII, and not much of them`() {
    let hostile = "a\u{1B}[2J\r\n\u{202E}\u{200B}\u{9B}"
    #expect(
      Self.refusal(["x": [hostile: Double.nan]])?.message
        == #"x.a\u{1B}[2J\r\n\u{202E}\u{200B}\u{009B} is not a value that JSON can have"#)
    let long = String(repeating: "x", count: 5000)
    #expect(Self.refusal([long: [long: Date.distantPast]])?.message.utf8.count ?? .max < 500)
    struct Nest: Encodable {
      var depth: Int
      func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Name.self)
        if depth == 0 {
          try members.encode(Double.nan, forKey: .a)
        } else {
          try members.encode(Nest(depth: depth - 1), forKey: .a)
        }
      }
      enum Name: String, CodingKey { case a = "a name of thirty-three characters" }
    }
    #expect(Self.refusal(Nest(depth: 200))?.message.utf8.count ?? .max < 1000)
  }

  @Test func `are refused with a registered claim of the wrong type`() {
    #expect(Self.refusal(["exp": "soon"])?.code == .claimInvalid)
    #expect(Self.refusal(["sub": 7])?.code == .claimInvalid)
    #expect(Self.refusal(["aud": [String]()])?.code == .claimInvalid)
    #expect(Self.refusal(["iat": -1])?.code == .claimInvalid)
    #expect(Self.refusal(["aud": ["a", "b"]]) == nil)
  }

  @Test func `are refused when our verifiers would refuse their size or depth`() {
    struct Nest: Encodable {
      var inner: [Nest] = []
    }
    func nest(_ depth: Int) -> Nest { depth == 0 ? Nest() : Nest(inner: [nest(depth - 1)]) }
    #expect(Self.refusal(nest(7)) == nil)
    #expect(Self.refusal(nest(8))?.code == .jsonTooLarge)
    #expect(Self.refusal(nest(300))?.message == "the claims cannot be encoded, or are nested too deeply")
    let members = Dictionary(uniqueKeysWithValues: (0..<257).map { ("m\($0)", 1) })
    #expect(Self.refusal(members)?.code == .jsonTooLarge)
    let long = ["text": String(repeating: "x", count: 13_000)]
    #expect(Self.refusal(long)?.code == .tokenTooLarge)
    #expect(Self.refusal(long, limits: TokenLimits(token: 32 << 10)) == nil)
  }

  @Test func `are refused when their own code fails`() {
    struct Broken: Encodable {
      func encode(to encoder: any Encoder) throws { throw CancellationError() }
    }
    #expect(Self.refusal(Broken())?.message == "the claims cannot be encoded")
  }

  @Test func `go to a signer elsewhere, too`() async throws {
    let signer: any Signer = Self.signer
    let token = try await signer.token(JSONObject(claims: ["sub": "ada"]))
    #expect(try UnverifiedToken(token).subject == "ada")
  }
}
