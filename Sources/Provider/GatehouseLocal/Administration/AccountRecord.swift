import FoundationEssentials
package import GatehouseBase
package import IdentityToolkit

/// An account as an administrator sees it.
package struct AccountRecord: Sendable, Hashable {
  package let uid: String
  /// The tenant; `nil` for the project itself.
  package let tenantID: String?
  package let email: String?
  package let isEmailVerified: Bool
  package let displayName: String?
  package let photoURL: String?
  /// The phone number in E.164 form.
  package let phoneNumber: String?
  package let isDisabled: Bool
  /// The sign-in methods: `password`, `emailLink`, `phone`, an identity provider, `custom`, `anonymous`.
  package let signInMethods: [String]
  /// The custom claims of the user's ID tokens.
  package let claims: JSONObject
  package let secondFactors: [SecondFactor]
  /// The creation time, in milliseconds since 1970.
  package let createdAt: Int64
  /// The time of the last sign-in, in milliseconds since 1970; `nil` before the first one.
  package let lastLoginAt: Int64?
  /// The time before which sign-ins are revoked, in seconds since 1970.
  package let validSince: Int64

  init(_ stored: StoredAccount, methods: [String], _ factors: [StoredSecondFactor]) {
    uid = stored.uid
    tenantID = stored.tenant.isEmpty ? nil : stored.tenant
    email = stored.email
    isEmailVerified = stored.emailVerified
    displayName = stored.displayName
    photoURL = stored.photoURL
    isDisabled = stored.disabled
    let methods = methods + (stored.customAuth ? ["custom"] : [])
    signInMethods = methods.isEmpty && stored.email == nil ? ["anonymous"] : methods
    phoneNumber = stored.phoneNumber
    claims = stored.customClaims
    secondFactors = factors.map { $0.info(isMasked: false) }
    createdAt = stored.createdAt
    lastLoginAt = stored.lastLoginAt == 0 ? nil : stored.lastLoginAt
    validSince = stored.validSince
  }
}

/// A name of an account, and the key by which the account is looked up. A user may have an identifier that reads like
/// another user's address, so no look-up tries both.
package enum AccountName: Sendable, Hashable {
  /// The identifier, in one tenant; `nil` for any, an empty text for the project itself.
  case uid(String, tenantID: String? = nil)
  /// The address, in one tenant; `nil` for the project itself.
  case email(String, tenantID: String? = nil)

  /// Reads a name as a person writes it: text with the form of an address is an address, any other an identifier.
  package init(_ text: String, tenantID: String? = nil) {
    self = (try? EmailAddress(text)) == nil ? .uid(text, tenantID: tenantID) : .email(text, tenantID: tenantID)
  }
}

/// An account to be created. Values that are not set are the same as after a sign-up.
package struct AccountDraft: Sendable {
  /// The identifier, 1 to 128 bytes; `nil` for one that is generated.
  package var uid: String?
  /// The tenant; `nil` for the project itself.
  package var tenantID: String?
  package var email: String?
  package var isEmailVerified = false
  package var password: Secret?
  /// Whether a password is allowed without an address. It can be used once the account has an address.
  package var allowsPasswordAlone = false
  package var displayName: String?
  package var photoURL: String?
  package var phoneNumber: String?
  package var isDisabled = false
  package var claims = JSONObject()
  /// The phones that are the account's second factors.
  package var phoneFactors: [EnrolledPhone] = []

  package init() {}
}

/// A phone that an administrator makes a second factor.
package struct EnrolledPhone: Sendable, Hashable {
  /// The factor's identifier; `nil` for a new factor.
  package var id: String?
  package var displayName: String?
  /// The number in E.164 form; `nil` for a phone that the account already has.
  package var phoneNumber: String?
  /// The time of the enrollment, in milliseconds since 1970; `nil` for now.
  package var enrolledAt: Int64?

  package init(id: String? = nil, phoneNumber: String? = nil) {
    self.id = id
    self.phoneNumber = phoneNumber
  }
}

/// The changes of an account. A member that is `nil` changes nothing; an empty text removes the field.
package struct AccountEdit: Sendable {
  package var email: String?
  package var isEmailVerified: Bool?
  package var password: Secret?
  package var displayName: String?
  package var photoURL: String?
  package var phoneNumber: String?
  package var isDisabled: Bool?
  package var claims: JSONObject?
  /// The time before which sign-ins are revoked, in seconds since 1970.
  package var validSince: Int64?
  /// The ways to sign in to remove: `password`, `phone`, identity providers.
  package var removedMethods: Set<ExactText> = []
  package var removedAttributes: Set<Update.Attribute> = []
  /// An identity provider's user who can sign in to the account from now on.
  package var identity: Account.ProviderUserInfo?
  /// The complete second factors: a factor that is not listed is removed.
  package var factors: [EnrolledPhone]?

  package init() {}

  /// Whether there is no change.
  package var isEmpty: Bool {
    email == nil && isEmailVerified == nil && password == nil && displayName == nil && photoURL == nil
      && phoneNumber == nil && isDisabled == nil && claims == nil && validSince == nil && removedMethods.isEmpty
      && removedAttributes.isEmpty && identity == nil && factors == nil
  }
}

extension EnrolledPhone {
  init(_ factor: CreateAccount.PhoneFactor) {
    self.init(id: factor.mfaEnrollmentId, phoneNumber: factor.phoneInfo)
    displayName = factor.displayName
    // An unknown date format, and a time outside the years 1970 to 9999, lose only the date, not the account.
    enrolledAt = factor.enrolledAt.flatMap { try? Date($0, strategy: Date.ISO8601FormatStyle()).wall }
      .flatMap { (0..<253_402_300_800).contains($0) ? Int64($0) * 1000 : nil }
  }
}
