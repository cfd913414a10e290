import Foundation
import GatehouseAgent
import GatehouseAgentServer
import GatehouseBase
import GatehouseServer
import GatehouseSystem
import GatehouseTesting
import Testing

/// The rights of each kind of program, as the page of the agent has them.
struct ClientRightsTests {
  /// A kind of program, with the peers that are of this kind.
  private struct Kind {
    let name: String
    let rules: [ClientRule]
    let peers: [PeerProcess?]
  }

  private static let owner: UInt32 = 500

  private static func peer(_ user: UInt32, group: UInt32 = 7, _ executable: String? = nil) -> PeerProcess {
    PeerProcess(id: 42, user: user, group: group, executable: executable)
  }

  private static let rules = [
    ClientRule("mail", user: 1000, accounts: .named(["a"])),
    ClientRule("group", group: 50, accounts: .named(["a"])),
    ClientRule("fresh", user: 1001, accounts: .named(["a"]), refresh: true),
    ClientRule("figures", user: 1002, accounts: .named([]), metrics: true),
    ClientRule("own", executable: "/usr/bin/mutt", accounts: .named(["a"])),
  ]

  /// The user that means "unknown" in a namespace which maps nothing else.
  private static let stranger = PeerProcess(
    id: 0, user: 65534, group: 50, in: UserNamespace { $0 == "/proc/self/uid_map" ? "1000 1000 1\n" : nil })

  private static let kinds = [
    Kind(name: "without `clients`: the daemon's user, root", rules: [], peers: [peer(owner), peer(0)]),
    Kind(name: "without `clients`: another user", rules: [], peers: [peer(1000), peer(65534)]),
    Kind(name: "of a rule", rules: rules, peers: [peer(1000), peer(3000, group: 50)]),
    Kind(name: "of a rule with `refresh`", rules: rules, peers: [peer(1001)]),
    Kind(name: "of a rule with `metrics` and no accounts", rules: rules, peers: [peer(1002)]),
    Kind(
      name: "of a rule, and the daemon's user or root",
      rules: rules + [ClientRule("root", user: 0, accounts: .named(["a"]))],
      peers: [peer(owner, "/usr/bin/mutt"), peer(0)]),
    Kind(name: "of no rule: the daemon's user, root", rules: rules, peers: [peer(owner), peer(0)]),
    Kind(name: "of no rule: another user", rules: rules, peers: [peer(3000), peer(3000, "/usr/bin/mutt")]),
    Kind(
      name: "a user that the user namespace does not map",
      rules: rules + [ClientRule("nobody", user: 65534, accounts: .all)], peers: [stranger]),
    Kind(name: "not through a Unix socket", rules: rules, peers: [nil]),
  ]

  /// The cells of one peer's row.
  private static func cells(_ kind: Kind, _ peer: PeerProcess?) async throws -> [String] {
    let scene = try ServedAgent(kind.rules, owner: owner) { () throws(AuthError) in [:] }
    try scene.agent.add("b", ScriptedTokenSource(clocks: scene.clocks))
    for account in ["a", "b"] { _ = try await scene.agent.token(of: account) }
    scene.clocks.advance(by: .seconds(1000))
    func status(_ method: String, _ target: String) async throws -> String {
      "\(try await scene.response(method, target, as: peer).status)"
    }
    let list = try await scene.answer("GET", "/v1/accounts", as: peer)
    let names = (list.json["accounts"]?.array ?? []).compactMap { $0["name"]?.string }
    let counts = try await scene.answer("GET", "/v1/status", as: peer)
    let count = ["lending", "empty", "failing", "needsPerson"].compactMap { counts.json["accounts"]?[$0]?.integer }
    #expect(counts.status == list.status && count.reduce(0, +) == names.count, "\(kind.name)")
    // Before the token of `a` is replaced.
    let own = try await status("GET", "/v1/accounts/a/token"), other = try await status("GET", "/v1/accounts/b/token")
    let none = try await status("GET", "/v1/accounts/c/token")
    #expect(other == none || other == "200", "an account of others looks like none")
    let longer = try await status("GET", "/v1/accounts/a/token?minValidity=3000")
    return [
      own, other, longer, try await status("POST", "/v1/accounts/a/refresh"),
      try await status("POST", "/v1/accounts/b/refresh"),
      list.status == 200 ? (names.isEmpty ? "none" : names.joined(separator: ", ")) : "\(list.status)",
      try await status("GET", "/metrics"), try await status("POST", "/v1/reload"),
    ]
  }

  @Test func `the page has the answer to each kind of program for each request`() async throws {
    var rows: [String] = []
    for kind in Self.kinds {
      var all: Set<[String]> = []
      for peer in kind.peers { all.insert(try await Self.cells(kind, peer)) }
      #expect(all.count == 1, "the peers of one kind have the same rights: \(kind.name)")
      rows.append("| \(kind.name) | \((all.first ?? []).joined(separator: " | ")) |")
    }
    let lines = try Self.page().split(separator: "\n").map(String.init)
    #expect(rows.filter { !lines.contains($0) } == [], "the page needs these rows:\n\(rows.joined(separator: "\n"))")
  }

  /// The page of the agent.
  static func page() throws -> String {
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    return try String(contentsOf: root.appending(path: "Docs/agent.md"), encoding: .utf8)
  }

  @Test func `a rule lends its own accounts, and refreshes of one rule do not reach those of another`() async throws {
    let peer = Self.peer(1000)
    let rules = [
      ClientRule("mail", user: 1000, accounts: .named(["a"])),
      ClientRule("other", user: 1000, accounts: .named(["b"]), refresh: true),
    ]
    let scene = try ServedAgent(rules, owner: Self.owner)
    try scene.agent.add("b", ScriptedTokenSource(clocks: scene.clocks))
    #expect(try await scene.response("POST", "/v1/accounts/a/refresh", as: peer).status == 403)
    #expect(try await scene.response("POST", "/v1/accounts/b/refresh", as: peer).status == 200)
    #expect(try await scene.response("GET", "/v1/accounts/a/token", as: peer).status == 200)
  }

  @Test func `an account that a rule does not lend is answered like one that there is not`() async throws {
    let scene = try ServedAgent([ClientRule(user: 1000, accounts: .named(["b"]))], owner: Self.owner)
    for request in ["GET /v1/accounts/NAME/token", "POST /v1/accounts/NAME/refresh"] {
      let parts = request.split(separator: " ").map(String.init)
      func answer(_ name: String) async throws -> String {
        let target = parts[1].replacing("NAME", with: name)
        let response = try await scene.response(parts[0], target, as: Self.peer(1000))
        return
          "\(response.status) \(String(decoding: response.body, as: UTF8.self).replacing("'\(name)'", with: "NAME"))"
      }
      let hidden = try await answer("a")
      #expect(try await hidden == answer("c") && hidden.hasPrefix("404 "))
    }
  }

  @Test func `a program that may not refresh gets a fetch that is due`() async throws {
    let scene = try ServedAgent([ClientRule(user: 1000, accounts: .named(["a"]))], owner: Self.owner)
    func token(_ query: String = "") async throws -> JSONValue? {
      try await scene.answer("GET", "/v1/accounts/a/token\(query)", as: Self.peer(1000)).json["token"]
    }
    #expect(try await token() == "token-1")
    scene.clocks.advance(by: .seconds(3400))
    #expect(try await token("?minValidity=600") == "token-2", "it was due")
  }

  @Test func `while the settings change, a program has what the former rules and the new ones lend`() async throws {
    let peer = Self.peer(1000), scene = try ServedAgent(Self.rules, owner: Self.owner)
    let next = ClientRules([ClientRule(user: 1000, accounts: .named([]))], owner: Self.owner)
    func status() async -> Int? { try? await scene.response("GET", "/v1/accounts/a/token", as: peer).status }
    #expect(await status() == 200)
    await scene.server.admit(by: next) { #expect(await status() == 404) }
    #expect(await status() == 404)
  }
}
