public import FoundationEssentials
public import GatehouseBase
import IdentityToolkit

/// A user as another system had them. Set what is known.
public struct UserImportRecord: Sendable, Hashable {
  /// The user's identifier, 1 to 128 bytes.
  public var uid: String
  /// The user's address.
  public var email: String?
  /// Whether the address is known to be the user's.
  public var isEmailVerified = false
  /// The name to show.
  public var displayName: String?
  /// The picture's address.
  public var photoURL: String?
  /// The phone number, as E.164 writes it.
  public var phoneNumber: String?
  /// Whether the user may not sign in.
  public var isDisabled = false
  /// What ID tokens say of the user; an empty object for nothing.
  public var customClaims = JSONObject()
  /// The identity providers' users who sign in to the account.
  public var providerData: [ProviderProfile] = []
  /// The phones that are the user's second factors.
  public var secondFactors: [SecondFactorRequest] = []
  /// When the account was made; `nil` for now.
  public var creationDate: Date?
  /// When the user last signed in; `nil` for never.
  public var lastSignInDate: Date?
  private var password: Password?

  /// A hash that prints nothing.
  private struct Password: Hashable {
    let hash: Secret
    let salt: Secret?
  }

  /// A user of whom only this is known.
  public init(uid: String, email: String? = nil) {
    self.uid = uid
    self.email = email
  }

  /// Sets the password's hash.
  ///
  /// - Parameters:
  ///   - hash: its bytes; of bcrypt the bytes of its text.
  ///   - salt: the salt's bytes, where the hash has one.
  public mutating func setPassword(hash: [UInt8], salt: [UInt8]? = nil) {
    password = Password(hash: Secret(Base64.encode(hash)), salt: salt.map { Secret(Base64.encode($0)) })
  }

  var hasPassword: Bool { password != nil }

  /// - Throws: `.invalidArgument` for claims that cannot be, and for a time that JSON cannot say.
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

/// What became of users who were to be imported at once.
public struct UserImportResult: Sendable, Hashable {
  /// Why one user is not there.
  public typealias Fault = DeleteUsersResult.Fault

  /// How many are there now.
  public let successCount: Int
  /// One for each user who is not, in the order of the list.
  public let errors: [Fault]
  /// How many are not.
  public var failureCount: Int { errors.count }
}
