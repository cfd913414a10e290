import GatehouseBase
import IdentityToolkit
import Testing

/// The lifetime of an ID token whose answer does not state one.
struct `An unverified ID token` {
  private static func lifetime(_ claims: JSONObject, received: Double = 1000) throws -> Double {
    var claims = claims
    claims["sub"] = "ada"
    let token = ["{}", "\(claims)", "x"].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
    return try #require(UnverifiedIDToken(Secret(token))).lifetimeSeconds(received: received)
  }

  @Test func `its lifetime is from its issue to its expiry, or from its receipt, and never unknown as zero`() throws {
    #expect(try Self.lifetime(["iat": 500, "exp": 4100]) == 3600)
    #expect(try Self.lifetime(["exp": 4100]) == 3100)
    #expect(try Self.lifetime(["exp": 900]) == 0, "it is over")
    #expect(try Self.lifetime(["iat": 500]) == UnverifiedIDToken.assumedLifetime)
    #expect(try Self.lifetime([:]) == UnverifiedIDToken.assumedLifetime)
    let extremes = try Self.lifetime(["iat": .number(JSONNumber(Int64.min)), "exp": .number(JSONNumber(Int64.max))])
    #expect(extremes > 0 && extremes.isFinite)
  }
}
