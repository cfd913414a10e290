public import GatehouseBase
public import GatehouseHTTP
public import Logging

/// How an embedded provider behaves. Set what differs from the defaults, and hand it to `LocalBackend`.
public struct LocalOptions: Sendable {
  /// The project's name, from 1 to 128 bytes: the audience of the ID tokens, and a part of their issuer.
  public var projectID = "local"
  /// The issuer of the ID tokens, at most 1024 bytes; `nil` for `https://securetoken.google.com/PROJECT`, which
  /// Firebase's clients expect.
  public var issuer: String?
  /// The algorithm that signs ID tokens.
  public var signing = Signing.rs256
  /// How long an ID token lives, from one second to a day; fractions of a second are cut off.
  public var tokenLifetime = Duration.seconds(3600)
  /// The cost of a password hash.
  public var passwordCost = PasswordCost.standard
  /// What a new password must have.
  public var passwordRequirements = PasswordRequirements()
  /// The identity providers whose users may sign in.
  public var identityProviders: [IdentityProvider] = []
  /// Asks identity providers for their keys and users: `AsyncHTTPTransport` of `GatehouseAsyncHTTP`, or one of your
  /// own.
  public var transport: (any HTTPTransport)?
  /// Takes what a credential of any identity provider says at its word: unsigned tokens, plain JSON, SAML responses
  /// that are JSON. For tests and development only, as Firebase's emulator: everybody could sign in as everybody.
  public var acceptsUnverifiedIdentities = false
  /// Takes what a custom token says at its word, whatever its signature: for an emulator, as above.
  package var acceptsUnverifiedCustomTokens = false
  /// Gives an anonymous account an address before it has a password: for an emulator, as above.
  package var allowsAddressAlone = false
  /// How many sign-ins to an account may fail before further ones are refused for a while. Failures from a device that
  /// the account knows (`Caller.device`) are counted for that device, and no other ones keep it out.
  public var throttle = Throttle()
  /// How many sign-ins from one network address may fail, to whatever accounts, before further ones from there are
  /// refused for a while: a hundred in an hour unless set otherwise. Counts where the address is known (`Caller`).
  public var addressThrottle = Throttle(attempts: 100, window: .seconds(3600))
  /// Passwords that no account may get, because attackers know them.
  public var leakedPasswords: LeakedPasswords?
  /// How many second factors of an account may be wrong, and within which time: ten in an hour unless set otherwise.
  /// Only a person who knows the password can try one. Of six digits, three passwords are good at a time: ten guesses
  /// an hour for a year find one with a probability of a quarter.
  public var secondFactorThrottle = Throttle(attempts: 10, window: .seconds(3600))
  /// Answers a sign-in with an unknown address as one with a wrong password, in the same words and at the same cost. No
  /// message tells either whether an address has an account, and a new address must be verified before an account has
  /// it. On unless switched off.
  public var enumerationProtection = true
  /// How long after a sign-in its user may change the address or the password, or delete the account; `nil` for ever.
  /// Five minutes unless set otherwise.
  public var recentSignIn: Duration? = .seconds(300)
  /// Brings messages to people. Without one, calls that send messages are refused.
  public var delivery: (any MessageDelivery)?
  /// Brings codes to phones. Without one, sign-in by phone is refused.
  public var textDelivery: (any TextDelivery)?
  /// How long a delivery may take.
  public var deliveryTimeout: Duration = .seconds(30)
  /// How many messages an address may get, and within which time: ten in an hour unless set otherwise.
  public var messageThrottle = Throttle(attempts: 10, window: .seconds(3600))
  /// The words of messages.
  public var templates = MessageTemplates()
  /// The app's name in messages.
  public var appName = "Gatehouse"
  /// Where the links of messages lead: a page of the app's, which reads the code (`ActionCodeURL`) and uses it.
  public var actionURL = "http://localhost/auth/action"
  /// The hosts to which links may lead on (`ActionCodeSettings.url`), and which may be a link's own domain.
  public var authorizedDomains = ["localhost", "127.0.0.1"]
  /// How long the codes of messages are good.
  public var codeLifetimes = CodeLifetimes()
  /// Hears of messages that could not be delivered while no caller waits for them. Never given a code.
  public var logger = Logger(label: "gatehouse.local")
  /// Gives a new refresh token with every refresh. A token that is used twice ends its session: either it was stolen,
  /// or an answer was lost (RFC 9700, section 4.14.2).
  public var rotatesRefreshTokens = false
  /// How long a new signing key is published before it signs: an hour unless set otherwise, at most 30 days. A verifier
  /// that caches the key set must ask again within that time.
  public var keyPublication: Duration = .seconds(3600)
  /// The audit log's size; `nil` for no log.
  public var audit: AuditOptions? = AuditOptions()
  /// Where time comes from. Its wall clock is what tokens show.
  public var clocks: any Clocks = SystemClocks()
  /// Called on a background thread when opening has upgraded the accounts and some lost their address, with the number
  /// of accounts without one.
  package var addressesWereLost: @Sendable (Int) -> Void = { _ in }
  /// Whether opening a folder without a provider begins one there; otherwise that is `.providerUnavailable`, and
  /// nothing is made. A folder may be empty because its file system is not mounted.
  package var beginsProvider = true
  /// Statements that each connection to the database runs first: how tests make a disk full.
  package var pragmas: [String] = []
  /// How long opening waits for another process that opens the same folder, in seconds.
  package var patience = 5.0

  /// The defaults.
  public init() {}

  /// The algorithms that ID tokens are signed with.
  public enum Signing: String, Sendable, CaseIterable {
    /// RSA with 2048 bits and SHA-256: what Firebase's clients and verifiers expect.
    case rs256 = "RS256"
    /// ECDSA over P-256 with SHA-256: faster to sign, shorter.
    case es256 = "ES256"
  }

  /// The issuer of the ID tokens.
  package var issuerName: String { issuer ?? "https://securetoken.google.com/\(projectID)" }

  /// The lifetime of an ID token in whole seconds.
  var tokenSeconds: Int64 { tokenLifetime.wholeSeconds }

  /// Refuses settings that no token could be made with.
  package func check() throws(AuthError) { try check { AuthError(.invalidArgument, $1) } }

  /// As `check()`.
  ///
  /// - Parameter mistake: makes the error, of the keys of the settings and of advice.
  package func check(_ mistake: ([String], String) -> AuthError) throws(AuthError) {
    func require(_ holds: Bool, _ keys: String..., else advice: String) throws(AuthError) {
      guard holds else { throw mistake(keys, advice) }
    }
    try require(
      !projectID.isEmpty && projectID.utf8.count <= 128, "projectID",
      else: "the project's name must be 1 to 128 bytes long")
    try require(
      !issuerName.isEmpty && issuerName.utf8.count <= 1024, "issuer", else: "the issuer must be 1 to 1024 bytes long")
    try require(
      (1...86400).contains(tokenSeconds), "tokenLifetime", else: "a token's lifetime must be 1 to 86400 seconds")
    for throttle in [throttle, addressThrottle, secondFactorThrottle, messageThrottle] {
      try require(throttle.attempts >= 1, else: "the throttle must allow one attempt at least")
      try require(
        (1...86400).contains(throttle.windowSeconds), else: "the throttle's window must be 1 to 86400 seconds")
    }
    try require(
      recentSignIn.map { $0 > .zero } ?? true, "recentSignIn",
      else: "a recent sign-in must be allowed to be older than nothing")
    try require(
      (0...(30 * 86400)).contains(keyPublication.wholeSeconds), "keyPublication",
      else: "a key must be published for 0 s to 30 days first")
    try require(
      audit.map { $0.maximumBytes >= 4096 && $0.keptFiles >= 1 } ?? true, "audit.maximumBytes", "audit.keptFiles",
      else: "the audit log must be allowed 4096 bytes a file at least, and one full file")
    try require(
      issuer.map { !$0.hasPrefix("https://session.firebase.google.com/") } ?? true, "issuer",
      else: "the issuer of ID tokens must not be the one of session cookies, https://session.firebase.google.com/…")
    try require(deliveryTimeout > .zero, "delivery.timeout", else: "a delivery must be given some time")
    try require(
      passwordRequirements.minimumLength >= 6, "passwordRequirements.minimumLength",
      else: "a password must have 6 characters at least")
    try require(
      passwordRequirements.maximumLength.map { $0 >= passwordRequirements.minimumLength } ?? true,
      "passwordRequirements.maximumLength", "passwordRequirements.minimumLength",
      else: "the longest password must not be shorter than the shortest")
    let names = identityProviders.map(\.id)
    try require(
      Set(names).count == names.count, "identityProviders.enabled", else: "two identity providers have the same name")
    try require(
      names.allSatisfy { !["", "password", "phone", "anonymous", "custom"].contains($0) }, "identityProviders.enabled",
      else: "an identity provider needs a name that no other way to sign in has")
    try require(
      codeLifetimes.all.allSatisfy { (1...(366 * 86400)).contains($0) },
      else: "codes must be good for 1 s to 366 days")
    try require(
      WebAddress.host(of: actionURL) != nil && !actionURL.utf8.contains(UInt8(ascii: "#")), "actionURL",
      else: "the address of links must be http:// or https://, and have no fragment")
    try require(
      passwordCost.isUsable, "passwordCost.n", "passwordCost.r", "passwordCost.p",
      else: "the password cost must be: N a power of two from 2, r and p from 1 to 64, 1 GiB at most")
  }
}
