import Foundation
import GatehouseAgent
import GatehouseAgentServer
import GatehouseBase
import GatehouseQueues
import GatehouseServer
import GatehouseSystem
import GatehouseTesting
import Logging
import TestSupport
import Testing

/// The bounds that all users of the daemon share, each with one user that wants everything.
struct ClientBoundsTests {
  /// The bounds, as the table of the page names them.
  enum Bound: String, CaseIterable, CustomTestStringConvertible {
    case connections = "connections"
    case answers = "answers to refused connections"
    case logLines = "lines of the log about refused requests, in a minute"
    case refreshes = "fetches that replace a fresh token, in a minute"
    case descriptors = "file descriptors"

    var testDescription: String { rawValue }
  }

  private static let owner: UInt32 = 500
  private static let rules = [
    ClientRule("one", user: 1000, accounts: .named(["a"]), refresh: true),
    ClientRule("two", user: 2000, accounts: .named(["a"]), refresh: true),
    ClientRule("group", group: 50, accounts: .named(["a"]), refresh: true),
  ]

  /// The kinds of users, each with the peers that one greedy user can have: a user's 65,536 subordinate ones.
  private static let kinds: [(name: String, share: Int, peer: @Sendable (Int) -> PeerProcess)] = [
    ("the daemon's user", 5936, { _ in PeerProcess(id: 1, user: owner, group: 7) }),
    ("root", 1000, { _ in PeerProcess(id: 1, user: 0, group: 0) }),
    ("user 1000", 1000, { _ in PeerProcess(id: 1, user: 1000, group: 7) }),
    ("user 2000", 1000, { _ in PeerProcess(id: 1, user: 2000, group: 7) }),
    ("group 50", 1000, { PeerProcess(id: 1, user: 100_000 + UInt32($0), group: 7, groups: [50]) }),
    ("users that no rule admits", 64, { PeerProcess(id: 1, user: 100_000 + UInt32($0), group: 7) }),
  ]

  @Test func `the page lists each bound`() throws {
    let page = try ClientRightsTests.page()
    let table = page.components(separatedBy: "| bound |").last?.components(separatedBy: "\n\n").first ?? ""
    let bounds = table.split(separator: "\n").dropFirst(2).compactMap {
      $0.split(separator: "|").first?.trimmingCharacters(in: .whitespaces)
    }
    #expect(bounds == Bound.allCases.map(\.rawValue))
  }

  @Test(arguments: Bound.allCases)
  func `a user that wants all of a bound leaves the others theirs`(bound: Bound) async throws {
    switch bound {
    case .connections: try connections()
    case .answers: try answers()
    case .logLines: try await logLines()
    case .refreshes: try await refreshes()
    case .descriptors: descriptors()
    }
  }

  private func served() throws -> (ServedAgent, OpenConnections) {
    var limits = HTTPLimits()
    limits.keptDescriptors = 1280
    return (
      try ServedAgent(Self.rules, owner: Self.owner),
      OpenConnections(
        .init(limits, descriptors: 16_384, cores: 2), PrometheusMetrics(), Logger(label: "test") { _ in LogLines() })
    )
  }

  private func connections() throws {
    for last in Self.kinds {
      let (scene, connections) = try served()
      func admitted(_ kind: (name: String, share: Int, peer: @Sendable (Int) -> PeerProcess)) -> Int {
        (0..<11_000).count { number in
          let part = scene.server.part(of: kind.peer(number), ofConnections: connections.count)
          #expect(part.name == kind.name)
          return connections.admit([], part) == .admitted
        }
      }
      for kind in Self.kinds where kind.name != last.name { _ = admitted(kind) }
      #expect(admitted(last) == last.share, "\(last.name) comes last, and has its share")
    }
  }

  /// Those who wait for the answer to a refusal take no connection of those who are admitted.
  private func answers() throws {
    let (scene, connections) = try served()
    let stranger = Self.kinds[5]
    for number in 0..<5000 {
      _ = connections.admit([], scene.server.part(of: stranger.peer(number), ofConnections: connections.count))
    }
    for kind in Self.kinds.dropLast() {
      #expect(
        connections.admit([], scene.server.part(of: kind.peer(0), ofConnections: connections.count)) == .admitted)
    }
  }

  private func logLines() async throws {
    let (scene, _) = try served()
    for number in 0..<3000 {
      #expect(try await scene.response("GET", "/v1/status", as: Self.kinds[5].peer(number)).status == 403)
    }
    #expect(scene.log.all.count == 10)
    for (kind, count) in [(Self.kinds[0], 11), (Self.kinds[1], 12)] {
      _ = try await scene.response("GET", "/v1/status", as: kind.peer(0))
      #expect(scene.log.all.count == count, "\(kind.name)")
    }
    _ = try await scene.response("POST", "/v1/reload", as: Self.kinds[2].peer(0))
    #expect(scene.log.all.count == 13)
    scene.clocks.advance(by: .seconds(60))
    _ = try await scene.response("GET", "/v1/status", as: Self.kinds[5].peer(7))
    #expect(scene.log.all[13] == "refused 2990 more requests of users that no rule admits")
  }

  private func refreshes() async throws {
    let (scene, _) = try served()
    func refresh(_ kind: Int) async throws -> ServerResponse {
      try await scene.response("POST", "/v1/accounts/a/refresh", as: Self.kinds[kind].peer(kind))
    }
    for _ in 0..<10 {
      #expect(try await refresh(2).status == 200)
      scene.clocks.advance(by: .seconds(1))
    }
    let refused = try await refresh(2)
    #expect(refused.status == 429 && refused.headers["Retry-After"] == "50")
    scene.clocks.advance(by: .seconds(15))
    let longer = try await scene.response("GET", "/v1/accounts/a/token?minValidity=3599", as: Self.kinds[2].peer(0))
    #expect(longer.status == 429, "a validity beyond the fresh token is a refresh")
    #expect(try await scene.response("GET", "/v1/accounts/a/token", as: Self.kinds[2].peer(0)).status == 200)
    for kind in [3, 4] { #expect(try await refresh(kind).status == 200, "\(Self.kinds[kind].name)") }
    #expect(try await refresh(5).status == 403)
    scene.clocks.advance(by: .seconds(50))
    #expect(try await refresh(2).status == 200)
  }

  private func descriptors() {
    for (descriptors, kept) in [(16_384, 1280), (11_000, 1280), (2000, 1000), (700, 350)] {
      var limits = HTTPLimits()
      limits.keptDescriptors = 1280
      let connections = OpenConnections(
        .init(limits, descriptors: descriptors, cores: 2), PrometheusMetrics(),
        Logger(label: "test") { _ in LogLines() })
      #expect(connections.count == min(10_000, descriptors - kept))
    }
  }

  @Test func `refreshes that share a fetch count once`() async throws {
    let (scene, _) = try served(), counted = Lock(0)
    scene.source.hold()
    let before = Task { try await scene.agent.refresh("a") }
    await scene.source.waitForCall()
    for _ in 0..<30 {
      let error = await refusal {
        try await scene.agent.refresh(
          "a", timeout: .zero, replacing: { _ throws(AuthError) in counted.withLock { $0 += 1 } })
      }
      #expect(error?.code == .deadlineExceeded)
    }
    // One fetch is in flight, and these share the next one.
    #expect(counted.withLock { $0 } == 1)
    scene.source.release()
    _ = try await before.value
  }
}
