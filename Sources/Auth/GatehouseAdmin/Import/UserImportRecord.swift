public import FoundationEssentials
public import GatehouseBase
import IdentityToolkit

/// A user from another system. Set the properties that are known.
public struct UserImportRecord: Sendable, Hashable {
  /// The user's identifier, 1 to 128 bytes.
  public var uid: String
  /// The user's address.
  public var email: String?
  /// Whether the address is verified.
  public var isEmailVerified = false
  /// The user's display name.
  public var displayName: String?
  /// The picture's address.
  public var photoURL: String?
  /// The phone number in E.164 form.
  public var phoneNumber: String?
  /// Whether the account is disabled.
  public var isDisabled = false
  /// The custom claims of the user's ID tokens; an empty object for none.
  public var customClaims = JSONObject()
  /// The users of identity providers who sign in to the account.
  public var providerData: [ProviderProfile] = []
  /// The phones that are the user's second factors.
  public var secondFactors: [SecondFactorRequest] = []
  /// The date of the account's creation; `nil` for now.
  public var creationDate: Date?
  /// The date of the last sign-in; `nil` for never.
  public var lastSignInDate: Date?
  private var password: Password?

  /// A hash whose description is empty.
  private struct Password: Hashable {
    let hash: Secret
    let salt: Secret?
  }

  /// Makes a user of whom only the identifier and perhaps the address are known.
  public init(uid: String, email: String? = nil) {
    self.uid = uid
    self.email = email
  }

  /// Sets the password's hash.
  ///
  /// - Parameters:
  ///   - hash: the hash's bytes; for bcrypt, the bytes of its text.
  ///   - salt: the salt's bytes, if the hash has a salt.
  public mutating func setPassword(hash: [UInt8], salt: [UInt8]? = nil) {
    password = Password(hash: Secret(Base64.encode(hash)), salt: salt.map { Secret(Base64.encode($0)) })
  }

  var hasPassword: Bool { password != nil }

  /// - Throws: `.invalidArgument` for claims that are not allowed, and for a time that JSON cannot represent.
  func account() throws(AuthError) -> ImportedAccount {
    try CustomClaims.check(customClaims)
    var account = ImportedAccount(localId: uid)
    account.email = email
    account.emailVerified = isEmailVerified
    account.displayName = displayName
    account.photoUrl = photoURL
    account.phoneNumber = phoneNumber
    account.disabled = isDisabled
    account.passwordHash = password?.hash
    account.salt = password?.salt
    account.customAttributes = customClaims.isEmpty ? nil : customClaims.description
    account.providerUserInfo = providerData.isEmpty ? nil : providerData.map(Account.ProviderUserInfo.init)
    account.mfaInfo = secondFactors.mfaInfo
    account.createdAt = creationDate.map(DecimalString.init(milliseconds:))
    account.lastLoginAt = lastSignInDate.map(DecimalString.init(milliseconds:))
    return account
  }
}

extension DecimalString {
  fileprivate init(milliseconds date: Date) { self.init(Int64(clamping: date.wall * 1000)) }
}

/// The result of an import.
public struct UserImportResult: Sendable, Hashable {
  /// The reason why one user was not imported.
  public typealias Fault = DeleteUsersResult.Fault

  /// The number of users that were imported.
  public let successCount: Int
  /// One error for each user who was not imported, in the order of the list.
  public let errors: [Fault]
  /// The number of users that were not imported.
  public var failureCount: Int { errors.count }
}
