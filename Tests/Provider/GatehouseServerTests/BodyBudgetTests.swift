import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import GatehouseServer
import HangGuard
import Logging
import TestSupport
import Testing

/// The memory for long bodies, and its shares.
struct BodyBudgetTests {
  /// A budget of 4 MB: one for administrators, and three for all others. A network has 375,000 bytes.
  private final class Held: Sendable {
    let lines = LogLines()
    let metrics = PrometheusMetrics()
    let budget: BodyBudget
    private let ended = Lock<[String]>([])

    init() {
      var limits = HTTPLimits()
      (limits.bodyLength, limits.bodiesLength) = (100_000, 4_000_000)
      budget = BodyBudget(limits, metrics, Logger(label: "test") { [lines] _ in lines })
    }

    var all: [String] { ended.withLock { $0 } }

    func begin(_ address: String?, _ name: String = "", isAdministrators: Bool = false) throws -> BodyBudget.Share {
      let networks = try address.map { try #require(NetworkAddress($0)).networks } ?? []
      return budget.begin(of: networks, isAdministrators: isAdministrators) { [ended] in
        ended.withLock { $0.append(name) }
      }
    }

    /// Begins bodies of an address and keeps them, until one finds no room.
    func fill(_ address: String?, by length: Int = 25_000, isAdministrators: Bool = false) throws -> Int {
      var total = 0
      while true {
        let share = try begin(address, isAdministrators: isAdministrators)
        guard share.hold(length) else {
          share.release()
          return total
        }
        _ = share.keep()
        total += length
      }
    }
  }

  @Test func `a network holds its share, and others and administrators have theirs`() throws {
    let held = Held()
    #expect(try held.fill("192.0.2.1") == 375_000)
    #expect(try held.fill("192.0.2.1", isAdministrators: true) == 1_000_000)
    #expect(try held.fill("192.0.2.2") == 375_000)
    #expect(held.all == [])
    #expect(held.lines.all.count == 1, "it is reported once")
    #expect(held.metrics.text().contains("gatehouse_http_refused_bodies_total 3"))
  }

  @Test func `the networks of one IPv6 site have shares together, and none has more than a quarter`() throws {
    let held = Held()
    #expect(try held.fill("2001:db8:0:1::1") == 375_000)
    #expect(try held.fill("2001:db8:0:2::1") == 375_000)
    for other in ["2001:db8:0:3::1", "2001:db8:0:ff00::1"] { #expect(try held.fill(other) == 0) }
    #expect(try held.fill("2001:db8:1::1") == 375_000)
  }

  @Test func `the network that holds the most loses its oldest body that still comes to one with less`() throws {
    let held = Held()
    for number in 1...7 { _ = try held.fill("192.0.2.\(number)") }
    // The eighth network sends slowly, and this machine has the rest.
    var slow: [BodyBudget.Share] = []
    for number in 1...3 {
      slow.append(try held.begin("198.51.100.1", "slow \(number)"))
      #expect(slow[number - 1].hold(100_000))
    }
    let rest = try held.begin("192.0.2.8")
    #expect(rest.hold(75_000) && rest.keep() && held.all == [])
    let other = try held.begin("203.0.113.1", "other")
    #expect(other.hold(90_000) && held.all == ["slow 1"])
    #expect(!slow[0].hold(100_001) && !slow[0].keep(), "its connection is closed")
    #expect(other.hold(100_000) && held.all == ["slow 1"], "there was more room than it needed")
    // What has come to its end keeps its room.
    #expect(slow[1].keep())
    let third = try held.begin("203.0.113.2")
    #expect(third.hold(100_000) && held.all == ["slow 1", "slow 3"])
    let fourth = try held.begin("203.0.113.3")
    #expect(!fourth.hold(100_000), "no network with a body that still comes has more than it would have")
    #expect(held.all == ["slow 1", "slow 3"])
  }

  @Test func `an administrator's body loses its room to no other`() throws {
    let held = Held()
    #expect(try held.begin("192.0.2.1", isAdministrators: true).hold(1_000_000))
    let body = try held.begin("192.0.2.1", "administrator", isAdministrators: true)
    #expect(body.hold(100_000))
    for number in 2...9 { _ = try held.fill("192.0.2.\(number)") }
    #expect(held.all == [] && body.keep())
  }

  @Test func `a body that ends gives back what it held`() throws {
    let held = Held()
    for _ in 1...100 {
      let body = try held.begin("2001:db8::1"), administrators = try held.begin(nil, isAdministrators: true)
      #expect(body.hold(100_000) && administrators.hold(900_000))
      body.release()
      body.release()
      administrators.release()
      #expect(!body.hold(20_000))
    }
    #expect(try held.fill("2001:db8::1", isAdministrators: true) == 1_375_000)
  }

  @Test func `this machine and a proxy's requests have the whole, and lose it to a network with less`() throws {
    let held = Held()
    for number in 1...30 { #expect(try held.begin(nil, "\(number)").hold(100_000)) }
    #expect(try !held.begin(nil).hold(100_000), "it takes nothing from itself")
    #expect(try held.begin("192.0.2.1").hold(100_000))
    #expect(held.all == ["1"])
  }
}
