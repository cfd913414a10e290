import GatehouseAgent
import GatehouseAgentServer
import GatehouseBase
import GatehouseServer
import GatehouseSystem
import GatehouseTesting
import Testing

/// The daemon answers as its page says.
struct AnswerTests {
  @Test func `a token is lent with the life that remains, rounded down`() async throws {
    let scene = try ServedAgent()
    let first = try await scene.answer("GET", "/v1/accounts/a/token?minValidity=120")
    #expect(first.status == 200)
    #expect(first.json == ["account": "a", "token": "token-1", "expiresIn": 3600])
    scene.clocks.advance(by: .milliseconds(100_500))
    #expect(try await scene.answer("GET", "/v1/accounts/a/token").json["expiresIn"] == 3499)
    #expect(try await scene.answer("POST", "/v1/accounts/a/refresh").json["token"] == "token-2")
    #expect(try await scene.answer("GET", "/v1/accounts/a/token").json["token"] == "token-2")
  }

  @Test func `the accounts and the status are told without a token`() async throws {
    let scene = try ServedAgent()
    _ = try await scene.answer("GET", "/v1/accounts/a/token")
    let over = ScriptedTokenSource(clocks: scene.clocks)
    over.failAlways(AuthError(.userTokenExpired, "sign in again"))
    try scene.agent.add("b", over)
    #expect(try await scene.answer("GET", "/v1/accounts/b/token").status == 409)
    let accounts = try await scene.answer("GET", "/v1/accounts")
    #expect(
      accounts.json["accounts"]?.array == [
        [
          "name": "a", "kind": "scripted", "state": "lending", "fetching": false, "failures": 0, "expiresIn": 3600,
        ],
        [
          "name": "b", "kind": "scripted", "state": "needsPerson", "fetching": false, "failures": 1,
          "error": ["code": "userTokenExpired", "number": 17021, "message": "sign in again"],
        ],
      ])
    let status = try await scene.answer("GET", "/v1/status")
    #expect(status.json == ["process": 42, "accounts": ["lending": 1, "empty": 0, "failing": 0, "needsPerson": 1]])
    #expect(!"\(accounts.json)\(status.json)".contains("token-"))
  }

  @Test func `a failure that may pass is told with the time after which another try can help`() async throws {
    let scene = try ServedAgent()
    scene.source.failAlways(AuthError(.networkError, "the issuer is away", retryAfter: .seconds(30)))
    let answer = try await scene.answer("GET", "/v1/accounts/a/token")
    #expect(answer.status == 503)
    #expect(
      answer.json["error"] == [
        "code": "networkError", "number": 17020, "message": "the issuer is away", "retryAfter": 30,
      ])
  }

  @Test(arguments: [
    ("GET", "/v1/accounts/b/token", 404, "no account 'b'"),
    ("GET", "/v1/accounts/%61/token", 404, "no account '%61'"),
    ("GET", "/v1/accounts/a/token?minValidity=", 400, "minValidity must be whole seconds"),
    ("GET", "/v1/accounts/a/token?minValidity=-1", 400, "minValidity must be whole seconds"),
    ("GET", "/v1/accounts/a/token?minValidity=1.5", 400, "minValidity must be whole seconds"),
    ("GET", "/v1/accounts/a/token?minValidity=99999999999999999999", 400, "minValidity must be whole seconds"),
    ("GET", "/v1/accounts/a/token?minValidity=31536001", 400, "minValidity must be whole seconds"),
    ("GET", "/v1/accounts/a/token?minValidity=1&minValidity=2", 400, "minValidity is given twice"),
    ("GET", "/v1/accounts/a/token?minvalidity=1", 400, "no parameter minvalidity; this path has minValidity"),
    ("GET", "/v1/accounts/a/token?%zz", 400, "the query is malformed"),
    ("GET", "/v1/accounts/a/token?minValidity=7200", 400, "shorter minValidity"),
    ("GET", "/v1/accounts?a=b", 400, "this path has none"),
    ("POST", "/v1/accounts/a/token", 405, "for GET, not for POST"),
    ("GET", "/v1/accounts/a/refresh", 405, "for POST, not for GET"),
    ("GET", "/v1/reload", 405, "for POST, not for GET"),
    ("GET", "/v1/status/", 404, "nothing at this path"), ("GET", "/", 404, "nothing at this path"),
    ("GET", "", 404, "nothing at this path"), ("GET", "/v1", 404, "nothing at this path"),
    ("GET", "/v2/status", 404, "nothing at this path"), ("GET", "//v1/status", 404, "nothing at this path"),
    ("GET", "/v1/accounts/a/b/token", 404, "nothing at this path"),
    ("GET", "/v1/b/a/token", 404, "nothing at this path"),
  ])
  func `a wrong request is refused with what to do`(
    method: String, target: String, status: Int, words: String
  ) async throws {
    let answer = try await ServedAgent().answer(method, target)
    #expect(answer.status == status, "\(answer)")
    #expect(answer.json["error"]?["message"]?.string?.contains(words) == true, "\(answer)")
  }

  @Test func `a request with a body is refused`() async throws {
    let answer = try await ServedAgent().answer("GET", "/v1/status", body: [0])
    #expect(answer.status == 400 && answer.json["error"]?["message"]?.string == "the agent's requests have no body")
  }

  @Test func `a reload answers what has changed, or why nothing has`() async throws {
    let good = try ServedAgent { () throws(AuthError) in ["accounts": 2] }
    #expect(try await good.answer("POST", "/v1/reload").json == ["accounts": 2])
    let bad = try ServedAgent { () throws(AuthError) in throw AuthError(.invalidArgument, "line 3, column 5") }
    let answer = try await bad.answer("POST", "/v1/reload")
    #expect(answer.status == 400 && answer.json["error"]?["message"] == "line 3, column 5")
  }

  // MARK: Who may ask

  @Test func `a program that no rule admits is refused before anything else`() async throws {
    let peer = try ServedAgent.peer(), user = try ServedAgent.user(), group = try #require(peer.group)
    let scene = try ServedAgent([ClientRule(user: user + 1, accounts: .all)])
    let answer = try await scene.answer("GET", "/nothing", body: [0])
    #expect(answer.status == 403)
    let words = "no rule admits process \(peer.id) of user \(user) and group \(group)"
    #expect(answer.json["error"]?["message"]?.string?.contains(words) == true, "\(answer)")
    await scene.server.admit(by: ClientRules([], owner: user)) {}
    #expect(try await scene.answer("GET", "/v1/status").status == 200)
  }

  @Test func `while the settings change, a program must fit the former rules and the new ones`() async throws {
    let user = try ServedAgent.user(), scene = try ServedAgent()
    let own = ClientRules([], owner: user)
    let others = ClientRules([ClientRule(user: user + 1, accounts: .all)], owner: user + 1)
    func status() async -> Int? { try? await scene.answer("GET", "/v1/status").status }
    let failed = await refusal {
      try await scene.server.admit(by: others) { () async throws(AuthError) in
        #expect(await status() == 403)
        throw AuthError(.invalidArgument, "a mistake")
      }
    }
    let afterFailure = await status()
    #expect(failed?.code == .invalidArgument && afterFailure == 200)
    for (rules, after) in [(others, 403), (own, 200)] {
      await scene.server.admit(by: rules) { #expect(await status() == 403) }
      let now = await status()
      #expect(now == after)
    }
  }

  @Test func `another user's program may ask, and not have the settings read again`() async throws {
    let peer = PeerProcess(id: 7, user: 1000, group: 1000)
    let scene = try ServedAgent { () throws(AuthError) in [:] }
    await scene.server.admit(by: ClientRules([ClientRule(user: 1000, accounts: .named([]))], owner: 1001)) {}
    #expect(try await scene.answer("GET", "/v1/status", as: peer).status == 200)
    #expect(try await scene.answer("POST", "/v1/reload", as: peer).status == 403)
    await scene.server.admit(by: ClientRules([], owner: 1000)) {}
    #expect(try await scene.answer("POST", "/v1/reload", as: peer).status == 200)
  }

  @Test func `a request that does not come through a Unix socket is refused`() async throws {
    let response = await (try ServedAgent()).server.answer(ServerRequest("GET", "/v1/status"))
    #expect(response.status == 403)
  }

  @Test func `a program is admitted if it fits all that a rule names`() throws {
    let peer = try ServedAgent.peer()
    let (user, group, path) = (try ServedAgent.user(), try #require(peer.group), peer.executable)
    let none: UInt32 = .max - 1
    func isAdmitted(_ rules: ClientRule...) -> Bool {
      ClientRules(rules, owner: none).reason(refusing: peer) == nil
    }
    #expect(isAdmitted(ClientRule(user: user, accounts: .all)) && !isAdmitted(ClientRule(user: none, accounts: .all)))
    #expect(
      isAdmitted(ClientRule(group: group, accounts: .all)) && !isAdmitted(ClientRule(group: none, accounts: .all)))
    // Another user can run the same executable, and change what it does.
    #expect(!isAdmitted(ClientRule(executable: path, accounts: .all)))
    for (path, isAdmitted) in [(path, true), ("/bin/none", false)] {
      let rules = ClientRules([ClientRule(executable: path, accounts: .all)], owner: user)
      #expect((rules.reason(refusing: peer) == nil) == isAdmitted)
    }
    #expect(isAdmitted(ClientRule(user: user, group: group, executable: path, accounts: .all)))
    #expect(!isAdmitted(ClientRule(user: none, group: group, executable: path, accounts: .all)))
    #expect(!isAdmitted(ClientRule(user: user, group: none, executable: path, accounts: .all)))
    #expect(!isAdmitted(ClientRule(user: user, group: group, executable: "/bin/none", accounts: .all)))
    #expect(isAdmitted(ClientRule(user: none, accounts: .all), ClientRule(user: user, accounts: .all)))
    for group in peer.groups { #expect(isAdmitted(ClientRule(group: group, accounts: .all))) }
  }

  @Test func `without rules the daemon's own user and root are admitted`() throws {
    let peer = try ServedAgent.peer(), user = try ServedAgent.user()
    #expect(ClientRules([], owner: user).reason(refusing: peer) == nil)
    #expect((ClientRules([], owner: user + 1).reason(refusing: peer) == nil) == (peer.user == 0))
  }

  @Test func `an executable that is not known fits no rule that names one`() throws {
    let peer = try ServedAgent.peer(isKnown: false)
    #expect(peer.executable == nil)
    let path = try CurrentProcess.executable()
    #expect(ClientRules([ClientRule(executable: path, accounts: .all)], owner: 5).reason(refusing: peer) != nil)
    #expect(ClientRules([ClientRule(user: peer.user, accounts: .all)], owner: 5).reason(refusing: peer) == nil)
  }
}
