public import GatehouseBase

/// The contract of `TokenSource`, as checks that a test runs on an implementation:
///
///     @Test(arguments: TokenSourceContract.all)
///     func `my source keeps the contract`(_ check: TokenSourceContract.Check) async throws {
///       try await check.run { MyStage.make() }
///     }
///
/// A check throws `Violation` if the contract is broken, and passes on the source's unexpected errors. No test
/// framework is imported.
public enum TokenSourceContract {
  /// A sentence of the contract that a source broke.
  public struct Violation: Error, Sendable, CustomStringConvertible {
    /// The expected and the actual behavior.
    public let description: String
  }

  /// The ways in which an issuer treats a source's request.
  public enum Condition: Sendable, CaseIterable {
    /// It issues a new token for each request.
    case issues
    /// It has ended the account's session: only a person can help.
    case hasEnded
    /// It is away for a while.
    case isAway
  }

  /// A source, its issuer, and the clocks of both.
  public struct Stage: Sendable {
    let source: any TokenSource
    let clocks: any Clocks
    let secrets: [String]
    let conditions: Set<Condition>
    let set: @Sendable (Condition) async throws -> Void

    /// - Parameters:
    ///   - source: the source to check. Its issuer issues tokens at first.
    ///   - clocks: the clocks that the source reads.
    ///   - secrets: texts that must not appear in an error: passwords, keys, refresh tokens.
    ///   - conditions: the conditions that the issuer can meet. The checks of the others pass.
    ///   - set: makes the issuer meet a condition from now on.
    public init(
      _ source: any TokenSource, clocks: any Clocks, secrets: [String],
      conditions: Set<Condition> = Set(Condition.allCases),
      set: @escaping @Sendable (Condition) async throws -> Void
    ) {
      self.source = source
      self.clocks = clocks
      self.secrets = secrets
      self.conditions = conditions
      self.set = set
    }

    /// Returns the token of a fetch, and the clock readings around it.
    func fetched() async throws -> (token: LentToken, before: ClockReading, after: ClockReading) {
      let before = clocks.now()
      let token = try await source.fetch()
      return (token, before, clocks.now())
    }

    /// Returns the error of a fetch that must fail.
    func refused(_ when: String) async throws -> AuthError {
      do throws(AuthError) { _ = try await source.fetch() } catch { return error }
      throw Violation(description: "a fetch \(when) should fail, and returned a token")
    }
  }

  /// One sentence of the contract.
  public struct Check: Sendable, CustomStringConvertible {
    /// The sentence.
    public let name: String
    let body: @Sendable (Stage) async throws -> Void

    public var description: String { name }

    /// Runs the check on a new stage.
    public func run(_ make: () async throws -> Stage) async throws { try await body(try await make()) }
  }

  /// The codes of errors that end an account's session.
  static let terminal: [AuthError.Code] = [.invalidUserToken, .userTokenExpired, .userDisabled, .userNotFound]

  /// The checks for every source.
  public static let all: [Check] = [
    Check(name: "its kind is a short printable text") { stage in
      let kind = stage.source.kind
      try expect(
        (1...64).contains(kind.utf8.count) && kind.unicodeScalars.allSatisfy { (" "..."~").contains($0) },
        "the kind should be 1 to 64 printable ASCII characters")
    },
    Check(name: "a token has a text and a life, and was received during the fetch") { stage in
      let (token, before, after) = try await stage.fetched()
      try expect(!token.value.revealed.isEmpty, "the token is empty")
      try expect(token.lifetime > .zero, "the token's lifetime is \(token.lifetime)")
      let received = token.received
      try expect(
        received.bootID == before.bootID && (before.boot...after.boot).contains(received.boot)
          && (before.wall...after.wall).contains(received.wall),
        "the token was received at \(received), and fetched between \(before) and \(after)")
    },
    Check(name: "each fetch asks the issuer") { stage in
      let first = try await stage.fetched().token
      try await stage.set(.issues)
      let second = try await stage.fetched().token
      try expect(first.value != second.value, "the second fetch returned the token of the first")
    },
    Check(name: "a printed token shows no secret") { stage in
      let token = try await stage.fetched().token
      var dumped = ""
      dump(token, to: &dumped)
      for text in ["\(token)", String(reflecting: token), dumped] {
        try expect(!text.contains(token.value.revealed), "a printed token contains its text")
      }
    },
    Check(name: "the end of a session is reported as one, each time, and without a secret") { stage in
      guard stage.conditions.contains(.hasEnded) else { return }
      try await stage.set(.hasEnded)
      for _ in 0..<2 {
        let error = try await stage.refused("for an ended session")
        try expect(terminal.contains(error.code), "the error of an ended session is \(error)")
        try stage.expectNoSecret(in: error)
      }
    },
    Check(name: "a failure that may pass is not reported as an end, and passes") { stage in
      guard stage.conditions.contains(.isAway) else { return }
      try await stage.set(.isAway)
      let error = try await stage.refused("while the issuer is away")
      try expect(!terminal.contains(error.code), "the error of an issuer that is away is \(error)")
      try stage.expectNoSecret(in: error)
      try await stage.set(.issues)
      _ = try await stage.fetched()
    },
    Check(name: "a fetch that is cancelled ends") { stage in
      let source = stage.source
      let fetch = Task { try await source.fetch() }
      fetch.cancel()
      _ = await fetch.result
      _ = try await stage.fetched()
    },
  ]

  static func expect(_ holds: Bool, _ what: String) throws {
    if !holds { throw Violation(description: what) }
  }
}

extension TokenSourceContract.Stage {
  func expectNoSecret(in error: AuthError) throws {
    let text = "\(error) \(error.userInfo)"
    try TokenSourceContract.expect(!secrets.contains { text.contains($0) }, "an error contains a secret")
  }
}
