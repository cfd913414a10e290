import GatehouseBase
import IdentityToolkit

/// Something that a person holds, and that opens or changes an account until it ends.
struct Holding {
  enum Kind {
    case password
    /// A refresh token with the latest ID token.
    case session
    /// A sign-in that waits for a second factor.
    case waiting
    /// A code of a message, from the person's mailbox.
    case code
    /// The begun enrollment of an authenticator app.
    case pendingApp
    /// An authenticator app that is a second factor.
    case app
    case recoveryCode
  }

  let kind: Kind
  var holder: Person
  /// The account; `nil` for a link that may make one.
  var uid: String?
  let tenant: String
  /// The step in which the person got it.
  let since: Int
  /// The password, refresh token, credential, code or shared secret.
  var secret: Secret
  /// Of a session.
  var idToken = Secret("")
  /// The session's identifier; of a code, the session that asked for it; of an enrollment, what names it.
  var session = ""
  /// When the person last proved in the session who they are, in seconds since 1970.
  var signedIn: Int64 = 0
  /// Of a code.
  var type = ActionCodeType(rawValue: "")
  /// The address that a code was sent to.
  var address = ""
  /// The second factor of an app, or the one that a code takes away.
  var factor: String?
  /// The step of the change that a code takes back, or in which the change that it refuses was asked for.
  var change: Int?
  /// Whether a code refuses a change.
  var refuses = false
  /// The step in which the address was verified to which a code takes a change back.
  var verified: Int?
  /// Of a code that takes a factor away: when the factor was enrolled, in seconds since 1970.
  var enrolledAt: Int64 = 0
  /// Of the same: the step in which the account's password was set, and the persons whose networks may be the owner's,
  /// at the enrollment; and whether the owner's network is certain.
  var password: Int?
  var owners: Set<Person> = []
  /// Of the same: the end of its waiting time, in seconds since 1970, once that has begun.
  var removesAt: Int64?
  /// The code that this one stops.
  var stops: Secret?
  /// Of a waiting sign-in: the step in which the password was set that has begun it.
  var byPassword: Int?
  /// Why it must not open anything any more.
  var end: String?

  init(_ kind: Kind, of holder: Person, _ secret: Secret, opens uid: String?, _ tenant: String, since: Int) {
    (self.kind, self.holder, self.secret, self.uid, self.tenant, self.since) = (
      kind, holder, secret, uid, tenant, since
    )
  }

  /// Whether it is a code that takes a second factor away.
  var takesFactor: Bool { type == .revertSecondFactorAddition && stops == nil }

  /// Whether it is a code that takes a change back, which outlives the other codes.
  var takesBack: Bool { type == .recoverEmail || type == .revertSecondFactorAddition }
}
