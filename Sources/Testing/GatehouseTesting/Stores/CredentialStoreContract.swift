public import GatehouseBase

/// The contract of `CredentialStore`, as checks that a test runs on an implementation:
///
///     @Test(arguments: CredentialStoreContract.all)
///     func `my store keeps the contract`(_ check: CredentialStoreContract.Check) async throws {
///       try await check.run { MyStore() }
///     }
///
/// A check throws `Violation` if the contract is broken, and passes on the store's errors. No test framework is
/// imported: a library that imports one links it into every program that uses the library, and would decide for its
/// users between Swift Testing and XCTest. Both report an error that a test throws.
public enum CredentialStoreContract {
  /// A sentence of the contract that a store broke.
  public struct Violation: Error, Sendable, CustomStringConvertible {
    /// The expected and the actual behavior.
    public let description: String
  }

  /// One sentence of the contract, for any store.
  public struct Check: Sendable, CustomStringConvertible {
    /// The sentence.
    public let name: String
    let body: @Sendable (any CredentialStore) async throws -> Void

    public var description: String { name }

    /// Runs the check on the store that `make` returns, which must be empty and not used otherwise.
    public func run(_ make: () async throws -> any CredentialStore) async throws { try await body(try await make()) }
  }

  /// One sentence of the contract, for a store that outlives the program.
  public struct DurableCheck: Sendable, CustomStringConvertible {
    /// The sentence.
    public let name: String
    let body: @Sendable (Storage) async throws -> Void

    public var description: String { name }

    /// Runs the check on a storage that is empty at first and not used otherwise.
    ///
    /// - Parameters:
    ///   - open: opens the storage, like every run of a program.
    ///   - damage: damages the stored data, like a broken disk.
    public func run(
      open: @escaping @Sendable () async throws -> any CredentialStore,
      damage: @escaping @Sendable () async throws -> Void
    ) async throws { try await body(Storage(open: open, damage: damage)) }
  }

  struct Storage: Sendable {
    let open: @Sendable () async throws -> any CredentialStore
    let damage: @Sendable () async throws -> Void
  }
}

// MARK: The parts of the checks

extension CredentialStoreContract {
  /// A session that a store could get wrong: every member is set, to a difficult value.
  static func session(_ id: String = "session-1", generation: UInt64 = 1) -> StoredSession {
    var profile = UserProfile(uid: "uid-\u{1F511}-\"quoted\"\\")
    profile.email = "é@example.org"
    profile.isEmailVerified = true
    profile.displayName = "Zoe\u{301}\n\u{0}/"
    profile.photoURL = "https://example.org/a?b=c&d=%20"
    profile.phoneNumber = "+4930123456"
    profile.tenantID = ""
    profile.creationSeconds = 1_763_686_879.123_456_7
    profile.lastSignInSeconds = 0.1
    var provider = ProviderProfile(providerID: "password", uid: "é@example.org")
    provider.email = "é@example.org"
    profile.providers = [provider, ProviderProfile(providerID: "google.com", uid: "1")]
    let received = ClockReading(wall: 1_763_686_880.000_000_2, boot: 12_345.678_9, bootID: "boot-1")
    var session = StoredSession(
      session: id, generation: generation, profile: profile, profileAsked: received.advanced(by: 0.25),
      tokens: SessionTokens(
        idToken: Secret("id.\(id).\(generation)"), refreshToken: Secret("refresh-\(id)-\(generation)"),
        lifetime: .seconds(3600),
        received: received),
      rotation: TokenRotation(spending: "-_8AAAAAAAA"), revocations: 3,
      pendingRevocation: PendingRevocation(id: "change", begun: received.advanced(by: 0.5), limit: .seconds(40.25)))
    var replaced = session
    replaced.session = "replaced by \(id)"
    session.replaced = [replaced]
    return session
  }

  static func expectLoad(_ store: any CredentialStore, _ expected: StoredSession?, _ when: String) async throws {
    try expect(try await store.load(), is: expected, "what is loaded \(when)")
  }

  static func expectWrite(
    _ store: any CredentialStore, _ session: StoredSession?, if condition: StoreCondition, _ expected: StoreOutcome,
    _ when: String
  ) async throws {
    try expect(try await store.write(session, if: condition), is: expected, "the outcome of a write \(when)")
  }

  static func expect<T: Equatable>(_ actual: T, is expected: T, _ what: String) throws {
    // The descriptions are compared too, because `==` considers é and e + ◌́ equal.
    let same = actual == expected && "\(actual)".utf8.elementsEqual("\(expected)".utf8)
    guard same else { throw Violation(description: "\(what) should be \(expected), and is \(actual)") }
  }
}
