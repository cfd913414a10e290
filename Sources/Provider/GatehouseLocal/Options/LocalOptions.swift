public import GatehouseBase
public import GatehouseHTTP
public import Logging

/// The settings of an embedded provider. Set those that differ from the defaults, and pass them to `LocalBackend`.
public struct LocalOptions: Sendable {
  /// The project's name, 1 to 128 bytes. It is the audience of the ID tokens and a part of their issuer.
  public var projectID = "local"
  /// The issuer of the ID tokens, at most 1024 bytes; `nil` for `https://securetoken.google.com/PROJECT`, which
  /// Firebase's clients expect.
  public var issuer: String?
  /// The algorithm that signs ID tokens.
  public var signing = Signing.rs256
  /// The lifetime of an ID token, from one second to a day; fractions of a second are truncated.
  public var tokenLifetime = Duration.seconds(3600)
  /// The cost of a password hash.
  public var passwordCost = PasswordCost.standard
  /// The requirements for a new password.
  public var passwordRequirements = PasswordRequirements()
  /// The identity providers whose users may sign in.
  public var identityProviders: [IdentityProvider] = []
  /// The transport that fetches the keys and users of identity providers: `AsyncHTTPTransport` of `GatehouseAsyncHTTP`,
  /// or your own.
  public var transport: (any HTTPTransport)?
  /// Whether any identity provider's credential is accepted without verification: unsigned tokens, plain JSON, SAML
  /// responses that are JSON. For tests and development only, like Firebase's emulator: anyone could sign in as any
  /// user. A folder that was first opened with this option is never opened without it, nor the other way round: that
  /// throws `.providerUnsafe`.
  public var acceptsUnverifiedIdentities = false
  /// Whether custom tokens are accepted with any signature. For an emulator only.
  package var acceptsUnverifiedCustomTokens = false
  /// Whether ID tokens and session cookies are signed. For an emulator only: Firebase's signs none, and some of its
  /// Admin SDKs take no others from an emulator. Then both kinds are accepted.
  package var signsTokens = true
  /// Whether anyone can sign in as any user.
  package var isEmulator: Bool { acceptsUnverifiedIdentities || acceptsUnverifiedCustomTokens }
  /// Whether to open an emulator's home as well as any other. For the owner's own commands.
  package var opensAnyHome = false
  /// Whether an anonymous account can get an address before it has a password. For an emulator only.
  package var allowsAddressAlone = false
  /// Whether links may lead to pages of any host, and not only of `authorizedDomains`. A link domain then has
  /// no effect. For an emulator only.
  package var allowsAllDomains = false
  /// The limit of failed sign-ins to an account, after which further ones are refused for a while. Failures from a
  /// known device of the account (`Caller.device`) count for that device, and other failures do not lock the device
  /// out.
  public var throttle = Throttle()
  /// The limit of failed sign-ins from one network address, to any accounts, after which further ones from that address
  /// are refused for a while. A hundred in an hour by default. Only applies if the address is known (`Caller`). The
  /// limit holds for refused credentials of identity providers too, which are counted apart.
  public var addressThrottle = Throttle(attempts: 100, window: .seconds(3600))
  /// The leaked passwords that no account may have.
  public var leakedPasswords: LeakedPasswords?
  /// The limit of wrong second factors of an account; ten in an hour by default. Only a person who knows the password
  /// can try one. With six digits and three valid passwords at a time, ten guesses an hour for a year succeed with a
  /// probability of a quarter.
  public var secondFactorThrottle = Throttle(attempts: 10, window: .seconds(3600))
  /// Whether a sign-in with an unknown address is answered like one with a wrong password, with the same error and at
  /// the same cost. Calls that send messages do not reveal either whether an address has an account, and a new address
  /// must be verified before an account gets it. `true` by default.
  public var enumerationProtection = true
  /// The time after a sign-in for which its user may change the address or the password, or delete the account; `nil`
  /// for unlimited. Five minutes by default.
  public var recentSignIn: Duration? = .seconds(300)
  /// The delivery of messages. Without one, calls that send messages are refused.
  public var delivery: (any MessageDelivery)?
  /// The delivery of codes to phones. Without one, sign-in by phone is refused.
  public var textDelivery: (any TextDelivery)?
  /// Called with each message that an administrator gets the link of, and that is not delivered.
  package var linkMade: (@Sendable (OutgoingMessage) -> Void)?
  /// The time limit of a delivery.
  public var deliveryTimeout: Duration = .seconds(30)
  /// The maximum of the random time after which a message is sent whose caller does not wait for it (decision 154).
  package var maximumDeliveryDelay: Duration = .seconds(3)
  /// The source of these times.
  package var random: any RandomSource = SystemRandomSource()
  /// The limit of messages to one address; ten in an hour by default.
  public var messageThrottle = Throttle(attempts: 10, window: .seconds(3600))
  /// The limit of accounts that one network may create by signing up; unlimited by default, 100 in an hour with `gate
  /// serve`. Answers that tell whether an address has an account count too. A network is an IPv4 address, or the first
  /// 64 bits of an IPv6 address (`Caller.address`). Its first 56 and 48 bits have 4 and 16 times the limit. Not
  /// counted: callers without an address or on this machine, and accounts that administrators and custom tokens create.
  public var signUpThrottle = Throttle.unlimited
  /// The limit of messages that one network may request, to any recipients; unlimited by default, 20 in an hour with
  /// `gate serve`. Not counted: callers as for `signUpThrottle`, and messages of an account's own user (decision 91).
  public var networkMessageThrottle = Throttle.unlimited
  /// The limit of texts to all phones together; 1,000 in an hour by default. Callers whom the account of the phone does
  /// not know can use up three quarters of it, and one network an eighth.
  public var textThrottle = Throttle(attempts: 1000, window: .seconds(3600))
  /// The templates of messages.
  public var templates = MessageTemplates()
  /// The app's name in messages.
  public var appName = "Gatehouse"
  /// The URL of messages' links: a page of the app that reads the code (`ActionCodeURL`) and uses it.
  public var actionURL = "http://localhost/auth/action"
  /// The allowed hosts of the pages that links lead to in the end (`ActionCodeSettings.url`).
  public var authorizedDomains = ["localhost", "127.0.0.1"]
  /// The hosts that a request may put in the place of that of `actionURL` (`ActionCodeSettings.linkDomain`); none by
  /// default. Every caller can choose one of them for the link in another person's message, and the link has the code.
  public var linkDomains: [String] = []
  /// The lifetimes of messages' codes.
  public var codeLifetimes = CodeLifetimes()
  /// The logger for messages that could not be delivered and that no caller waits for. It is never given a code.
  public var logger = Logger(label: "gatehouse.local")
  /// Whether every refresh issues a new refresh token. A token that is used twice ends its session, because it may have
  /// been stolen (RFC 9700, section 4.14.2). The exception is `rotationGrace`.
  public var rotatesRefreshTokens = false
  /// The time for which a spent refresh token is answered again, with the same next one, until that one is used: the
  /// first answer may have been lost. Whole seconds, 30 by default, at most 600; `.zero` switches it off.
  public var rotationGrace: Duration = .seconds(30)
  /// The time for which a new signing key is published before it signs; an hour by default, at most 30 days. A verifier
  /// that caches the key set must refresh it within that time.
  public var keyPublication: Duration = .seconds(3600)
  /// The size limits of the audit log; `nil` for no log.
  public var audit: AuditOptions? = AuditOptions()
  /// The source of time. Its wall clock determines the times in tokens.
  public var clocks: any Clocks = SystemClocks()
  /// Whether opening a folder without a provider creates one. Otherwise that is `.providerUnavailable`, and nothing is
  /// created: a folder may be empty because its file system is not mounted.
  package var beginsProvider = true
  /// Statements that each database connection runs first. Tests use them to simulate a full disk.
  package var pragmas: [String] = []
  /// Called with the text of each statement that a database connection runs. For tests.
  package var statementRan: (@Sendable (String) -> Void)?
  /// The maximum time to wait for another process that opens the same folder, in seconds.
  package var patience = 5.0
  /// The credential that the audit log names for what the program that holds the provider does itself; `nil` for
  /// `program`.
  package var holder: AdministratorCredential?

  /// The defaults.
  public init() {}

  /// The algorithms that ID tokens are signed with.
  public enum Signing: String, Sendable, CaseIterable {
    /// RSA with 2048 bits and SHA-256, which Firebase's clients and verifiers expect.
    case rs256 = "RS256"
    /// ECDSA over P-256 with SHA-256: faster signing, and shorter signatures.
    case es256 = "ES256"
  }

  /// The issuer of the ID tokens.
  package var issuerName: String { issuer ?? "https://securetoken.google.com/\(projectID)" }

  /// The lifetime of an ID token in whole seconds.
  var tokenSeconds: Int64 { tokenLifetime.wholeSeconds }

  /// Refuses invalid settings.
  package func check() throws(AuthError) { try check { AuthError(.invalidArgument, $1) } }

  /// Refuses invalid settings, with a custom error.
  ///
  /// - Parameter mistake: makes the error from the keys of the settings and advice.
  package func check(_ mistake: ([String], String) -> AuthError) throws(AuthError) {
    func require(_ holds: Bool, _ keys: String..., else advice: String) throws(AuthError) {
      guard holds else { throw mistake(keys, advice) }
    }
    try require(signsTokens || isEmulator, else: "only an emulator may leave its tokens unsigned")
    try require(
      rotationGrace >= .zero && rotationGrace <= .seconds(OptionLimits.rotationGrace.upperBound), "rotationGrace",
      else: "the time for which a spent refresh token is answered again must be 0 to 600 seconds")
    try require(
      OptionLimits.projectBytes.contains(projectID.utf8.count), "projectID",
      else: "the project's name must be 1 to 128 bytes long")
    try require(
      OptionLimits.issuerBytes.contains(issuerName.utf8.count), "issuer",
      else: "the issuer must be 1 to 1024 bytes long")
    try require(
      OptionLimits.tokenLifetime.contains(tokenSeconds), "tokenLifetime",
      else: "a token's lifetime must be 1 to 86400 seconds")
    for throttle in [
      throttle, addressThrottle, secondFactorThrottle, messageThrottle, signUpThrottle, networkMessageThrottle,
      textThrottle,
    ] {
      try require(throttle.attempts >= 1, else: "the throttle must allow one attempt at least")
      try require(
        OptionLimits.throttleWindow.contains(throttle.windowSeconds),
        else: "the throttle's window must be 1 to 86400 seconds")
    }
    try require(
      recentSignIn.map { $0 > .zero } ?? true, "recentSignIn",
      else: "a recent sign-in must be allowed to be older than nothing")
    try require(
      OptionLimits.keyPublication.contains(keyPublication.wholeSeconds), "keyPublication",
      else: "a key must be published for 0 s to 30 days first")
    try require(
      audit.map {
        $0.maximumBytes >= OptionLimits.auditBytes && $0.keptFiles >= OptionLimits.auditFiles
          && $0.keptTime >= .seconds(OptionLimits.auditTime)
      } ?? true,
      "audit.maximumBytes", "audit.keptFiles", "audit.keptTime",
      else: "the audit log must be allowed 4096 bytes a file at least, one full file, and a day")
    try require(
      issuer.map { !$0.hasPrefix("https://session.firebase.google.com/") } ?? true, "issuer",
      else: "the issuer of ID tokens must not be the one of session cookies, https://session.firebase.google.com/…")
    try require(
      issuer.map { !WebAddress.hasUser($0) } ?? true, "issuer",
      else: "the issuer must have no user name and no password (https://user:password@…): every token would show them")
    try require(
      identityProviders.flatMap(\.urls).allSatisfy { !WebAddress.hasUser($0) }, "identityProviders.enabled",
      else: "the URL of an identity provider must have no user name and no password (https://user:password@…)")
    try require(deliveryTimeout > .zero, "delivery.timeout", else: "a delivery must be given some time")
    try require(
      passwordRequirements.minimumLength >= OptionLimits.shortestPassword, "passwordRequirements.minimumLength",
      else: "a password must have 6 characters at least")
    try require(
      passwordRequirements.maximumLength.map { $0 >= passwordRequirements.minimumLength } ?? true,
      "passwordRequirements.maximumLength", "passwordRequirements.minimumLength",
      else: "the longest password must not be shorter than the shortest")
    let names = identityProviders.map(\.id)
    try require(
      names.exactly.count == names.count, "identityProviders.enabled", else: "two identity providers have the same name"
    )
    try require(
      names.allSatisfy { !["", "password", "phone", "anonymous", "custom"].contains($0) }, "identityProviders.enabled",
      else: "an identity provider needs a name that no other way to sign in has")
    try require(
      codeLifetimes.all.allSatisfy { OptionLimits.codeLifetime.contains($0) },
      else: "codes must be good for 1 s to 366 days")
    try require(
      WebAddress.host(of: actionURL) != nil && !actionURL.utf8.contains(UInt8(ascii: "#")), "actionURL",
      else: "the address of links must be http:// or https://, and have no fragment")
    try require(
      linkDomains.allSatisfy { WebAddress.host(of: "https://\($0)/")?.isExactly($0.lowercased()) == true },
      "linkDomains", else: "a link domain is a host alone, without scheme, port and path: links.example.com")
    try require(
      passwordCost.isUsable, "passwordCost.n", "passwordCost.r", "passwordCost.p",
      else: "the password cost must be: N a power of two from 2, r and p from 1 to 64, N * r * p "
        + "at most 12582912, and 1 GiB at most")
  }
}
