package import GatehouseBase
package import IdentityToolkit

/// An account as an administrator sees it.
package struct AccountRecord: Sendable, Hashable {
  package let uid: String
  /// `nil` for the project itself.
  package let tenantID: String?
  package let email: String?
  package let isEmailVerified: Bool
  package let displayName: String?
  package let photoURL: String?
  /// As E.164 writes it.
  package let phoneNumber: String?
  package let isDisabled: Bool
  /// How it signs in: `password`, `emailLink`, `phone`, an identity provider, `custom`, `anonymous`.
  package let signInMethods: [String]
  /// What ID tokens say of the user, by an administrator's word.
  package let claims: JSONObject
  package let secondFactors: [SecondFactor]
  /// Milliseconds since 1970.
  package let createdAt: Int64
  /// Milliseconds since 1970; `nil` before the first sign-in.
  package let lastLoginAt: Int64?
  /// Tokens of sign-ins before this moment are revoked; seconds since 1970.
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

/// Names an account: its identifier, or its address in a tenant or the project itself.
package struct AccountName: Sendable, Hashable {
  package let text: String
  package let tenantID: String?

  package init(_ text: String, tenantID: String? = nil) {
    self.text = text
    self.tenantID = tenantID
  }
}

/// An account to be made. What is not set is as a sign-up leaves it.
package struct AccountDraft: Sendable {
  /// 1 to 128 bytes; `nil` for one that is made up.
  package var uid: String?
  /// `nil` for the project itself.
  package var tenantID: String?
  package var email: String?
  package var isEmailVerified = false
  package var password: Secret?
  /// Whether there may be a password without an address: it is good once the account has one.
  package var allowsPasswordAlone = false
  package var displayName: String?
  package var photoURL: String?
  package var phoneNumber: String?
  package var isDisabled = false
  package var claims = JSONObject()
  /// The phones that are its second factors.
  package var phoneFactors: [EnrolledPhone] = []

  package init() {}
}

/// A phone that is a second factor by an administrator's word.
package struct EnrolledPhone: Sendable, Hashable {
  /// `nil` for a new one.
  package var id: String?
  package var displayName: String?
  /// As E.164 writes it; `nil` for one that the account has already.
  package var phoneNumber: String?
  /// Milliseconds since 1970; `nil` for now.
  package var enrolledAt: Int64?

  package init(id: String? = nil, phoneNumber: String? = nil) {
    self.id = id
    self.phoneNumber = phoneNumber
  }
}

/// What is to change in an account. A member that is `nil` changes nothing; an empty text empties its field.
package struct AccountEdit: Sendable {
  package var email: String?
  package var isEmailVerified: Bool?
  package var password: Secret?
  package var displayName: String?
  package var photoURL: String?
  package var phoneNumber: String?
  package var isDisabled: Bool?
  package var claims: JSONObject?
  /// Ends the sessions that began before; seconds since 1970.
  package var validSince: Int64?
  /// Ways to sign in that the account loses: `password`, `phone`, identity providers.
  package var removedMethods: Set<String> = []
  /// An identity provider's user who signs in to the account from now on.
  package var identity: Account.ProviderUserInfo?
  /// All phones that are to be its second factors; other factors that are not named go.
  package var factors: [EnrolledPhone]?

  package init() {}

  /// Whether nothing is to change.
  package var isEmpty: Bool {
    email == nil && isEmailVerified == nil && password == nil && displayName == nil && photoURL == nil
      && phoneNumber == nil && isDisabled == nil && claims == nil && validSince == nil && removedMethods.isEmpty
      && identity == nil && factors == nil
  }
}
