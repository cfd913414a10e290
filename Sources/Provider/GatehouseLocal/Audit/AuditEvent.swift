import GatehouseBase

/// An event of an account, a session or a key, for the audit log. It never contains a secret.
struct AuditEvent: Sendable {
  enum Kind: String, Sendable, CaseIterable {
    case signUp, signIn, signInFailed, lockedOut, signInNeedsSecondFactor
    case secondFactorEnrolled, secondFactorWithdrawn, recoveryCodesMade
    case passwordChanged, emailChanged, passwordReset, emailVerified, signInMethodRemoved
    case refreshTokenReused, sessionCookieMade, accountDeleted
    // Changes by an administrator.
    case accountCreated, accountUpdated, accountDisabled, accountEnabled, sessionsRevoked
    case keyRotated, keyRemoved, keyRevoked, tenantCreated, tenantDeleted, configurationChanged
    case serviceAccountCreated, serviceAccountDeleted, serviceAccountKeyAdded, serviceAccountKeyDeleted
    // What an administrator was given.
    case linkMade, messageSent, customTokenMade, accountsRead, configurationRead, accountsExported, providerBackedUp
    /// Calls of an administrator that have no event of their own, as many as were made in a minute.
    case callsMade
    /// Credentials of administrators that were refused, as many as were shown in a minute.
    case credentialRefused
    /// An event of the log itself: events that could not be written.
    case eventsLost
  }

  private var json: JSONObject
  let kind: Kind

  /// A series of the log's files. Each series has its own limits, because anyone can cause any number of sign-ups and
  /// refusals, and these must not remove other events.
  enum Series: String, Sendable, CaseIterable {
    /// Sign-ups and sign-ins.
    case signIns = "audit"
    /// Refused sign-ins.
    case refusals = "refused"
    /// Users' changes of what protects their accounts.
    case security
    /// Changes by an administrator, and of the signing keys, and what an administrator was given.
    case administration
    /// The numbers of an administrator's other calls. Never synced, because a single read must not wait for the disk.
    case reads

    /// Whether full files are kept for a time, instead of up to a number.
    var isKeptForTime: Bool { self == .security || self == .administration }

    /// Whether each batch is on the disk before the next one begins.
    var isSynced: Bool { self != .reads }
  }

  init(_ kind: Kind, at now: Moment) {
    json = ["time": .string(now.rfc3339Milliseconds), "event": .string(kind.rawValue)]
    self.kind = kind
  }

  /// The series of files that the event is written to.
  var series: Series {
    guard self["by"] == nil else { return .administration }
    return switch kind {
    case .signUp, .signIn, .signInNeedsSecondFactor, .sessionCookieMade, .eventsLost: .signIns
    case .signInFailed, .lockedOut, .credentialRefused: .refusals
    case .callsMade: .reads
    case .secondFactorEnrolled, .secondFactorWithdrawn, .recoveryCodesMade, .passwordChanged, .emailChanged,
      .passwordReset, .emailVerified, .signInMethodRemoved, .refreshTokenReused, .accountDeleted, .sessionsRevoked:
      .security
    case .accountCreated, .accountUpdated, .accountDisabled, .accountEnabled, .keyRotated, .keyRemoved, .keyRevoked,
      .tenantCreated, .tenantDeleted, .configurationChanged, .serviceAccountCreated, .serviceAccountDeleted,
      .serviceAccountKeyAdded, .serviceAccountKeyDeleted, .linkMade, .messageSent, .customTokenMade, .accountsRead,
      .configurationRead, .accountsExported, .providerBackedUp:
      .administration
    }
  }

  /// Makes the event of what an administrator was given.
  ///
  /// - Parameter tenant: the tenant; empty for the project itself.
  static func given(_ kind: Kind, _ count: Int? = nil, of tenant: String = "", at now: Moment) -> AuditEvent {
    var event = AuditEvent(kind, at: now)
    event["tenant"] = tenant.isEmpty ? nil : tenant.printable()
    event.count = count
    event["by"] = "administrator"
    return event
  }

  /// Makes the event of an account's change, by an administrator by default.
  ///
  /// - Parameter changed: the names of what was changed, or was set in a new account.
  init(
    _ kind: Kind, of account: StoredAccount, changed: [String]? = nil, byAdministrator: Bool = true, at now: Moment
  ) {
    self.init(AuditEvent(kind, at: now), of: account, changed: changed, byAdministrator: byAdministrator)
  }

  /// Makes the event of an account from one that has only its kind and its time, which many accounts share.
  init(_ event: AuditEvent, of account: StoredAccount, changed: [String]? = nil, byAdministrator: Bool = true) {
    self = event
    self["uid"] = account.uid
    self["tenant"] = account.tenant.isEmpty ? nil : account.tenant
    self["email"] = account.email
    self["by"] = byAdministrator ? "administrator" : nil
    self.changed = changed
  }

  /// Makes the event of an administrator's change of the tenants.
  init(_ kind: Kind, tenant: String, at now: Moment) {
    self.init(kind, at: now)
    self["tenant"] = tenant
    self["by"] = "administrator"
  }

  /// Makes the event of a change of the configuration over the protocol.
  ///
  /// - Parameter changed: the names of the members that were changed; `nil` if all were removed.
  init(
    _ kind: Kind, configuration resource: String, _ id: String, tenant: String, changed: [String]?, at now: Moment
  ) {
    self.init(kind, at: now)
    self["tenant"] = tenant.isEmpty ? nil : tenant
    self["kind"] = resource
    self["id"] = id
    self["by"] = "administrator"
    self.changed = changed
  }

  /// Makes the event of an administrator's change of the service accounts.
  init(_ kind: Kind, serviceAccount email: String, key: String? = nil, at now: Moment) {
    self.init(kind, at: now)
    self["serviceAccount"] = email
    self["key"] = key
    self["by"] = "administrator"
  }

  /// Makes the event of a change of the signing keys.
  init(_ kind: Kind, key: String, at now: Moment) {
    self.init(kind, at: now)
    self["key"] = key
    self["by"] = kind == .keyRemoved ? nil : "administrator"
  }

  /// Returns the line that reports lost events.
  static func lostLine(_ count: Int, at now: Moment) -> [UInt8] {
    var event = AuditEvent(.eventsLost, at: now)
    event.count = count
    return event.line
  }

  /// The number of accounts, documents, calls or events.
  var count: Int? {
    get { json["count"]?.integer.map(Int.init(clamping:)) }
    set { json["count"] = newValue.map { .number(JSONNumber($0)) } }
  }

  /// The number of calls that were refused.
  var refused: Int? {
    get { json["refused"]?.integer.map(Int.init(clamping:)) }
    set { json["refused"] = newValue.map { .number(JSONNumber($0)) } }
  }

  /// The names of what was changed.
  var changed: [String]? {
    get { json["changed"]?.array?.compactMap(\.string) }
    set { json["changed"] = newValue.map { .array($0.map(JSONValue.string)) } }
  }

  /// Names the administrator's credential, or that which has signed a custom token.
  mutating func show(_ credential: AdministratorCredential?) { json["credential"] = credential?.json }

  /// Whether password hashes were given out.
  mutating func includesPasswordHashes() { json["passwordHashes"] = true }

  /// Returns the event with the credential of the administrator who has caused it, if one has.
  func caused(by credential: JSONValue) -> AuditEvent {
    guard self["by"] != nil else { return self }
    var event = self
    event.json["credential"] = credential
    return event
  }

  /// A member of the line; `nil` omits it.
  subscript(_ name: String) -> String? {
    get { json[name]?.string }
    set { json[name] = newValue.map(JSONValue.string) }
  }

  /// The line, including its newline.
  var line: [UInt8] { json.serialized() + [UInt8(ascii: "\n")] }
}
