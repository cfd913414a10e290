public import GatehouseBase

/// How an embedded provider behaves. Set what differs from the defaults, and hand it to `LocalBackend`.
public struct LocalOptions: Sendable {
  /// The audience of the ID tokens, and a part of their issuer.
  public var projectID = "local"
  /// Who the ID tokens say they are from; `nil` for `https://securetoken.google.com/PROJECT`, as Firebase's clients
  /// want.
  public var issuer: String?
  /// What signs ID tokens.
  public var signing = Signing.rs256
  /// How long an ID token lives, in whole seconds, at least one and at most a day.
  public var tokenLifetime = 3600
  /// What a password hash costs.
  public var passwordCost = PasswordCost.standard
  /// How many wrong passwords an account may be tried with.
  public var throttle = Throttle()
  /// Answers a sign-in with an unknown address as one with a wrong password, in the same words and at the same cost.
  public var enumerationProtection = false
  /// Gives a new refresh token with every refresh. One that is used twice then ends its session, because somebody else
  /// has it, or an answer was lost.
  public var rotatesRefreshTokens = false
  /// Where time comes from. Its wall clock is what tokens show.
  public var clocks: any Clocks = SystemClocks()
  /// Whether opening a folder without a provider begins one there; otherwise that is `.providerUnavailable`, and
  /// nothing is made. A folder may be empty because its file system is not mounted.
  package var beginsProvider = true
  /// Statements that each connection to the database runs first: how tests make a disk full.
  package var pragmas: [String] = []
  /// How long opening waits for another process that opens the same folder, in seconds.
  package var patience = 5.0

  public init() {}

  /// The algorithms that ID tokens are signed with.
  public enum Signing: String, Sendable, CaseIterable {
    /// RSA with 2048 bits and SHA-256: what Firebase's clients and verifiers expect.
    case rs256 = "RS256"
    /// ECDSA over P-256 with SHA-256: faster to sign, shorter.
    case es256 = "ES256"
  }

  /// Who the ID tokens say they are from.
  var issuerName: String { issuer ?? "https://securetoken.google.com/\(projectID)" }

  /// Refuses settings that no token could be made with.
  func check() throws(AuthError) {
    func require(_ holds: Bool, _ advice: String) throws(AuthError) {
      guard holds else { throw AuthError(.invalidArgument, advice) }
    }
    try require(!projectID.isEmpty && projectID.utf8.count <= 128, "the project's name must be 1 to 128 bytes long")
    try require(!issuerName.isEmpty && issuerName.utf8.count <= 1024, "the issuer must be 1 to 1024 bytes long")
    try require((1...86400).contains(tokenLifetime), "a token's lifetime must be 1 to 86400 seconds")
    try require(throttle.attempts >= 1, "the throttle must allow one attempt at least")
    try require((1...86400).contains(throttle.window), "the throttle's window must be 1 to 86400 seconds")
    try require(
      passwordCost.isUsable, "the password cost must be: N a power of two from 2, r and p from 1 to 64, 1 GiB at most")
  }
}

/// How many failed sign-ins an account may have, and within which time.
///
/// The window begins with the first failure and is kept in the database, so that a restart does not open it again. A
/// sign-in that succeeds ends it.
public struct Throttle: Sendable, Hashable {
  public var attempts: Int
  /// In whole seconds.
  public var window: Int

  public init(attempts: Int = 10, window: Int = 300) {
    self.attempts = attempts
    self.window = window
  }
}
