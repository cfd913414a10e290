import GatehouseBase
import GatehouseCrypto
import Testing

struct OneTimePasswordTests {
  private static let secret = SecretBytes(Array("12345678901234567890".utf8))

  /// RFC 6238, appendix B: the last six digits of its codes.
  @Test(
    arguments: [
      (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
      (2_000_000_000, "279037"), (20_000_000_000, "353130"),
    ] as [(Int64, String)])
  func `the passwords are those of RFC 6238`(seconds: Int64, password: String) throws {
    let step = OneTimePassword.step(at: seconds)
    #expect(try OneTimePassword.password(Self.secret, step: step) == password)
    for (away, isTaken) in [(-60, false), (-30, true), (0, true), (30, true), (60, false)] as [(Int64, Bool)] {
      let found = try OneTimePassword.step(of: password, Self.secret, at: step * 30 + away)
      #expect(found == (isTaken && step * 30 + away >= 0 ? step : nil))
    }
  }

  @Test func `what is no password is of no period`() throws {
    for password in ["", "2870820", "28708", "\u{0662}87082", "287 082"] {
      #expect(try OneTimePassword.step(of: password, Self.secret, at: 59) == nil)
    }
    #expect(try OneTimePassword.step(of: "000000", Self.secret, at: 0) == nil)
  }
}
