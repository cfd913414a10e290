import Foundation
import Gatehouse
import GatehouseAgent
import GatehouseBase
import GatehouseQueues
import GatehouseSystem
import GatehouseTesting
import TestSupport
import Testing

/// The sources that come with the agent.
struct SourceTests {
  @Test(arguments: TokenSourceContract.all)
  func `the scripted source keeps the contract`(_ check: TokenSourceContract.Check) async throws {
    try await check.run {
      let clocks = ManualClocks()
      let source = ScriptedTokenSource(clocks: clocks)
      return TokenSourceContract.Stage(source, clocks: clocks, secrets: ["token-"]) { condition in
        switch condition {
        case .issues: source.failAlways(nil)
        case .hasEnded: source.failAlways(.over)
        case .isAway: source.failAlways(.away)
        }
      }
    }
  }

  @Test func `a source that breaks the contract is found`() async throws {
    var broken = 0
    for check in TokenSourceContract.all {
      do { try await check.run { Self.brokenStage } } catch is TokenSourceContract.Violation { broken += 1 }
    }
    #expect(broken == 5)
  }

  private static var brokenStage: TokenSourceContract.Stage {
    let clocks = ManualClocks()
    return TokenSourceContract.Stage(BrokenSource(), clocks: clocks, secrets: ["secret"]) { _ in }
  }

  // MARK: Sessions

  @Test(arguments: TokenSourceContract.all)
  func `a session in a file keeps the contract`(_ check: TokenSourceContract.Check) async throws {
    try await withTemporaryFolder { folder in
      try await check.run {
        let clocks = ManualClocks()
        let backend = ScriptedBackend()
        let refreshToken = try await Self.signIn(in: folder + "/session", backend, clocks)
        let source = SessionSource(path: folder + "/session", backend: backend, clocks: clocks)
        return TokenSourceContract.Stage(source, clocks: clocks, secrets: [refreshToken]) { condition in
          switch condition {
          case .issues: break
          case .hasEnded: backend.fail(.refresh, .over)
          case .isAway: backend.fail(.refresh, .away)
          }
        }
      }
    }
  }

  @Test func `a file without a session needs a person, and a new sign-in helps`() async throws {
    try await withTemporaryFolder { folder in
      let clocks = ManualClocks()
      let backend = ScriptedBackend()
      let agent = Agent(Agent.Configuration(callbackQueue: DispatchQueue(label: "test"), clocks: clocks))
      try agent.add("a", SessionSource(path: folder + "/session", backend: backend, clocks: clocks))
      #expect(await refusalCode { try await agent.token(of: "a") } == .userTokenExpired)
      _ = try await Self.signIn(in: folder + "/session", backend, clocks)
      let token = try await agent.refresh("a")
      let stored = try await FileCredentialStore(path: folder + "/session").load()
      #expect(stored?.tokens.idToken == token.value && token.lifetime == .seconds(3600))
    }
  }

  @Test func `an answer that is kept for a minute costs no session`() async throws {
    try await withTemporaryFolder { folder in
      let clocks = ManualClocks()
      let backend = ScriptedBackend()
      _ = try await Self.signIn(in: folder + "/session", backend, clocks)
      let agent = Agent(
        Agent.Configuration(
          callbackQueue: DispatchQueue(label: "test"), clocks: clocks, fetchTimeout: .seconds(120)))
      try agent.add("a", SessionSource(path: folder + "/session", backend: backend, clocks: clocks))
      backend.hold(.refresh)
      let token = Delivery { agent.token(of: "a", timeout: .seconds(100), completion: $0) }
      await backend.waitForCall(.refresh)
      clocks.advance(by: .seconds(60))
      backend.release(.refresh)
      #expect(try await token.value.lifetime == .seconds(3600))
      #expect(backend.count(of: .refresh) == 1)
    }
  }

  private static func signIn(
    in path: String, _ backend: ScriptedBackend, _ clocks: ManualClocks
  ) async throws -> String {
    let auth = Auth(.init(backend: backend, store: .file(path), callbackQueue: .global(), clocks: clocks))
    let user = try await auth.signInAnonymously().user
    _ = user
    try await auth.close()
    return try #require(try await FileCredentialStore(path: path).load()?.tokens.refreshToken.revealed)
  }

  // MARK: Files

  @Test(arguments: TokenSourceContract.all)
  func `a token in a file keeps the contract`(_ check: TokenSourceContract.Check) async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/token"
      try path.fill("opaque-0\n")
      try await check.run {
        let clocks = ManualClocks()
        let source = FileSource(path: path, clocks: clocks)
        return TokenSourceContract.Stage(
          source, clocks: clocks, secrets: ["opaque"], conditions: [.issues, .isAway]
        ) { condition in
          if condition == .isAway { return try FileManager.default.removeItem(atPath: path) }
          try path.fill("opaque-1\r\n")
        }
      }
    }
  }

  @Test func `a JWT in a file lives until its exp, and another token for a time from its first reading`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/token"
      let clocks = ManualClocks()
      let source = FileSource(path: path, lifetime: .seconds(100), clocks: clocks)
      try path.fill(Self.jwt(#"{"exp":1800000500}"#))
      #expect(try await source.fetch().lifetime == .seconds(500))
      clocks.advance(by: .seconds(60))
      #expect(try await source.fetch().lifetime == .seconds(440))
      for text in ["opaque", Self.jwt("{}"), Self.jwt(#"{"exp":"soon"}"#)] {
        try path.fill(text)
        #expect(try await source.fetch().lifetime == .seconds(100))
        clocks.advance(by: .seconds(60))
        #expect(try await source.fetch().lifetime == .seconds(40))
      }
    }
  }

  private static func jwt(_ claims: String) -> String {
    [#"{"alg":"RS256"}"#, claims, "signature"].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
  }

  @Test func `a file that is not safe or not a token is refused`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/token"
      let source = FileSource(path: path, clocks: ManualClocks())
      func refusal() async -> AuthErrorCode? { await refusalCode { try await source.fetch() } }
      #expect(await refusal() == .storeUnreadable)
      for text in ["", "\n", "two words", "two\nlines", "é", String(repeating: "a", count: 64 << 10) + "a"] {
        try path.fill(text)
        #expect(await refusal() == .storeDamaged, "\(text.prefix(10))")
      }
      try path.fill(String(repeating: "a", count: 64 << 10))
      #expect(await refusal() == nil)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
      #expect(await refusal() == .storeUnsafe)
      try FileManager.default.moveItem(atPath: path, toPath: path + "-2")
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + "-2")
      #expect(await refusal() == .storeUnsafe)
      #expect(await refusalCode { try await FileSource(path: "").fetch() } != nil)
    }
  }
}

/// A source that keeps little of the contract.
private struct BrokenSource: TokenSource {
  let kind = "a\nsource"

  func fetch() async throws(AuthError) -> LentToken {
    LentToken(Secret("secret"), lifetime: .zero, received: ClockReading(wall: 0, boot: 0, bootID: ""))
  }
}

private func withTemporaryFolder(_ body: (String) async throws -> Void) async throws {
  let path = NSTemporaryDirectory() + "gatehouse-test-" + SystemRandomSource().identifier()
  try OpenFolder.make(path)
  defer { try? FileManager.default.removeItem(atPath: path) }
  try await body(path)
}

extension String {
  fileprivate func fill(_ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: self))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: self)
  }
}
