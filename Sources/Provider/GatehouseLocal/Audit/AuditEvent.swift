import GatehouseBase

/// Something that happened to an account, a session or a key, for the audit log. Never a secret.
struct AuditEvent: Sendable {
  enum Kind: String, Sendable, CaseIterable {
    case signUp, signIn, signInFailed, lockedOut, signInNeedsSecondFactor
    case secondFactorEnrolled, secondFactorWithdrawn, recoveryCodesMade
    case passwordChanged, emailChanged, passwordReset, emailVerified, signInMethodRemoved
    case refreshTokenReused, sessionCookieMade, accountDeleted
    // By an administrator.
    case accountCreated, accountUpdated, accountDisabled, accountEnabled, sessionsRevoked
    case keyRotated, keyRemoved, keyRevoked, tenantCreated, tenantDeleted, configurationChanged
    case serviceAccountCreated, serviceAccountDeleted
    /// Of the log itself: events that could not be written.
    case eventsLost
  }

  private var json: JSONObject

  init(_ kind: Kind, at now: Moment) {
    json = ["time": .string(now.rfc3339Milliseconds), "event": .string(kind.rawValue)]
  }

  /// An administrator's change of an account.
  init(_ kind: Kind, of account: StoredAccount, byAdministrator: Bool = true, at now: Moment) {
    self.init(kind, at: now)
    self["uid"] = account.uid
    self["tenant"] = account.tenant.isEmpty ? nil : account.tenant
    self["email"] = account.email
    self["by"] = byAdministrator ? "administrator" : nil
  }

  /// An administrator's change of the tenants.
  init(_ kind: Kind, tenant: String, at now: Moment) {
    self.init(kind, at: now)
    self["tenant"] = tenant
    self["by"] = "administrator"
  }

  /// A change of what is configured over the protocol.
  init(_ kind: Kind, configuration resource: String, _ id: String, tenant: String, at now: Moment) {
    self.init(kind, at: now)
    self["tenant"] = tenant.isEmpty ? nil : tenant
    self["kind"] = resource
    self["id"] = id
    self["by"] = "administrator"
  }

  /// An administrator's change of the service accounts.
  init(_ kind: Kind, serviceAccount email: String, at now: Moment) {
    self.init(kind, at: now)
    self["serviceAccount"] = email
    self["by"] = "administrator"
  }

  /// A change of the signing keys.
  init(_ kind: Kind, key: String, at now: Moment) {
    self.init(kind, at: now)
    self["key"] = key
    self["by"] = kind == .keyRemoved ? nil : "administrator"
  }

  /// The line that tells of events that were lost.
  static func lostLine(_ count: Int, at now: Moment) -> [UInt8] {
    var event = AuditEvent(.eventsLost, at: now)
    event.json["count"] = .number(JSONNumber(count))
    return event.line
  }

  /// A member of the line; `nil` leaves it out.
  subscript(_ name: String) -> String? {
    get { json[name]?.string }
    set { json[name] = newValue.map(JSONValue.string) }
  }

  /// The line, with its end.
  var line: [UInt8] { json.serialized() + [UInt8(ascii: "\n")] }
}
