import GatehouseBase
import Testing

struct SessionTokensTests {
  private let then = ClockReading(wall: 1_800_000_000, boot: 5000, bootID: "boot-1")

  private func tokens(lifetime: Double) -> SessionTokens {
    SessionTokens(idToken: Secret("i"), refreshToken: Secret("r"), lifetimeSeconds: lifetime, received: then)
  }

  private func later(wall: Double, boot: Double, bootID: String = "boot-1") -> ClockReading {
    ClockReading(wall: then.wall + wall, boot: then.boot + boot, bootID: bootID)
  }

  @Test func `a token of an hour is fresh for 55 minutes`() {
    let tokens = tokens(lifetime: 3600)
    #expect(tokens.margin == 300)
    #expect(tokens.isFresh(at: then))
    #expect(tokens.isFresh(at: then.advanced(by: 3299)))
    #expect(!tokens.isFresh(at: then.advanced(by: 3300)))
    #expect(tokens.remaining(at: then.advanced(by: 3300)) == 300)
  }

  @Test func `a token of two minutes is fresh for 96 seconds`() {
    let tokens = tokens(lifetime: 120)
    #expect(tokens.margin == 24)
    #expect(tokens.isFresh(at: then.advanced(by: 95)))
    #expect(!tokens.isFresh(at: then.advanced(by: 96)))
  }

  @Test func `a wall clock set back makes no token live longer`() {
    let tokens = tokens(lifetime: 3600)
    #expect(tokens.isFresh(at: later(wall: -30 + 3299, boot: 3299)))
    #expect(!tokens.isFresh(at: later(wall: -30 + 3300, boot: 3300)))
    #expect(tokens.remaining(at: later(wall: -3600 + 3300, boot: 3300)) == 300)
  }

  @Test func `a token that was received in the future is due`() {
    let tokens = tokens(lifetime: 3600)
    let days = -2 * 86_400.0
    #expect(!tokens.isFresh(at: later(wall: days, boot: 1)))
    #expect(!tokens.isFresh(at: later(wall: days, boot: 1, bootID: "boot-2")))
    // Both clocks run on in suspend, so a suspend hides nothing.
    #expect(!tokens.isFresh(at: later(wall: days + 600, boot: 600)))
    #expect(!tokens.isFresh(at: later(wall: -61, boot: 1)))
  }

  @Test func `a small step back of the wall clock costs no refresh`() {
    let tokens = tokens(lifetime: 3600)
    #expect(tokens.isFresh(at: later(wall: -60, boot: 1)))
    #expect(tokens.isFresh(at: later(wall: -1, boot: 0)))
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
  func `a clock that shows nonsense makes no token fresh for ever`(_ wall: Double) {
    let tokens = tokens(lifetime: 3600)
    #expect(!tokens.isFresh(at: ClockReading(wall: wall, boot: then.boot + 3600, bootID: "boot-1")))
  }

  @Test func `a wall clock set forward an hour makes tokens due`() {
    // A set clock cannot be told from the true one: the price is one refresh too many.
    #expect(!tokens(lifetime: 3600).isFresh(at: later(wall: 3600, boot: 1)))
  }

  @Test func `after a restart the wall clock decides, and an earlier one means due`() {
    let tokens = tokens(lifetime: 3600)
    #expect(tokens.isFresh(at: later(wall: 600, boot: -4000, bootID: "boot-2")))
    #expect(!tokens.isFresh(at: later(wall: 3400, boot: -4000, bootID: "boot-2")))
    #expect(!tokens.isFresh(at: later(wall: -1, boot: -4000, bootID: "boot-2")))
  }

  @Test func `suspend counts`() {
    // Both clocks run on in suspend.
    #expect(!tokens(lifetime: 3600).isFresh(at: later(wall: 8 * 3600, boot: 8 * 3600)))
  }

  @Test(arguments: [0, -1, -3600])
  func `a token without a life is never fresh`(_ lifetime: Double) {
    #expect(!tokens(lifetime: lifetime).isFresh(at: then.advanced(by: 1)))
  }
}
