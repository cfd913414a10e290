import Foundation
import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

struct `Claims as a type of one's own` {
  private struct Claims: Codable, Equatable {
    struct Address: Codable, Equatable { var street: String }
    var sub: String
    var level: Int
    var roles: [String]
    var address: Address
    var note: String?
  }

  private static let good: JSONObject = [
    "sub": "user-1", "level": 3, "roles": ["a", "b"], "address": ["street": "Main"], "exp": 1_800_000_000, "more": true,
  ]
  private static let verifier = TokenVerifier(keys: TokenScene.keys, policy: VerificationPolicy(algorithms: [.RS256]))
  private static let secret = "s3cr3t-value"

  private func decoded(_ claims: JSONObject) throws(AuthError) -> Claims {
    let token: VerifiedToken
    do { token = try Self.verifier.verify(TokenScene.signed(claims), at: TokenScene.now) } catch {
      throw AuthError(.internalError, "the token was refused")
    }
    return try typed { try token.decode() }
  }

  @Test func `are decoded from every kind of token`() throws {
    let wanted = Claims(sub: "user-1", level: 3, roles: ["a", "b"], address: .init(street: "Main"))
    #expect(try decoded(Self.good) == wanted)
    let text = try TokenScene.signed(Self.good)
    #expect(try UnverifiedToken(text).decode(Claims.self) == wanted)
    let header = Base64URL.encode(#"{"alg":"none"}"#.utf8)
    let unsecured = try UnsecuredToken(header + "." + Base64URL.encode(Self.good.serialized()) + ".")
    #expect(try unsecured.decode(Claims.self) == wanted)
  }

  @Test(arguments: [1_800_000_000, 1_800_000_000.25]) func `have dates in seconds since 1970`(seconds: Double) throws {
    struct Times: Decodable { var exp: Date }
    let token = try TokenScene.signed(Self.good.with("exp", JSONNumber(seconds).map(JSONValue.number)))
    #expect(try UnverifiedToken(token).decode(Times.self).exp == Date(timeIntervalSince1970: seconds))
  }

  /// Foundation's `Date.init(from:)` asks no decoder for its strategy, so no decoder can know that it was called.
  @Test
  func `have dates in seconds since 1970 where a container decodes them, and since 2001 where a date decodes itself`()
    throws
  {
    struct Times: Codable {
      var exp: Date
      var iat: Date
      enum CodingKeys: String, CodingKey { case exp, iat }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        exp = try container.decode(Date.self, forKey: .exp)
        iat = try Date(from: container.superDecoder(forKey: .iat))
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(exp, forKey: .exp)
        try iat.encode(to: container.superEncoder(forKey: .iat))
      }
    }
    let claims: JSONObject = ["exp": 1_800_000_000, "iat": 1_700_000_000]
    let times = try UnverifiedToken(TokenScene.signed(claims)).decode(Times.self)
    #expect(times.exp == Date(timeIntervalSince1970: 1_800_000_000))
    #expect(times.iat == Date(timeIntervalSinceReferenceDate: 1_700_000_000))
    #expect(try JSONObject(claims: times) == claims)
  }

  @Test func `are refused with the place where they are wrong, and never with what stands there`() throws {
    let wrong: [(JSONObject, String)] = [
      (Self.good.with("sub", nil), "sub is missing"), (Self.good.with("level", .null), "level"),
      (Self.good.with("level", .string(Self.secret)), "level"),
      // Foundation does not report where a number does not fit.
      (Self.good.with("level", JSONNumber(1.5).map(JSONValue.number)), "not readable"),
      (Self.good.with("roles", .string(Self.secret)), "roles"),
      (Self.good.with("roles", [.string(Self.secret), 1]), "roles"),
      (Self.good.with("address", ["street": [.string(Self.secret)]]), "address.street"),
      (Self.good.with("address", .object([Self.secret: 1])), "address.street is missing"),
      (Self.good.with("note", [.string(Self.secret)]), "note"),
    ]
    for (claims, place) in wrong {
      do throws(AuthError) {
        _ = try decoded(claims)
        Issue.record("\(place) was accepted")
      } catch {
        #expect(error.code == .claimInvalid)
        #expect(error.message.contains(place), "\(error.message)")
        #expect(!"\(error)".contains(Self.secret))
      }
    }
  }

  @Test func `are refused with names of others in ASCII, and not much of them`() throws {
    struct Mapped: Decodable { var map: [String: [String: Int]] }
    let hostile = "a\u{1B}[2J\r\n\u{202E}\u{200B}\u{9B}"
    for (name, shown) in [
      (hostile, #"a\u{1B}[2J\r\n\u{202E}\u{200B}\u{009B}"#), (String(repeating: "x", count: 250), "x…"),
    ] {
      let token = try UnverifiedToken(TokenScene.signed(["map": [name: [name: "s3cr3t"]], name: 1]))
      do throws(AuthError) {
        _ = try typed { try token.decode(Mapped.self) }
        Issue.record("it was decoded")
      } catch {
        #expect(
          error.message.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 >= 0x80 } && error.message.utf8.count < 500)
        #expect(error.message.contains("map.") && error.message.contains(shown), "\(error.message)")
        #expect(!error.message.contains("s3cr3t") && !error.message.contains("\u{202E}"))
      }
    }
  }

  @Test func `are refused without a word of the type's own errors`() throws {
    struct Picky: Decodable {
      struct Complaint: Error { let value: String }
      init(from decoder: any Decoder) throws { throw Complaint(value: "s3cr3t-value") }
    }
    let token = try Self.verifier.verify(TokenScene.signed(Self.good), at: TokenScene.now)
    do throws(AuthError) {
      _ = try typed { try token.decode(Picky.self) }
      Issue.record("it was decoded")
    } catch {
      #expect(error.code == .claimInvalid)
      #expect(!"\(error)".contains(Self.secret))
    }
  }
}
