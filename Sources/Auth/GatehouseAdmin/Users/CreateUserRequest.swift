public import GatehouseBase
import IdentityToolkit

/// A user to be created. Set the properties that are known.
public struct CreateUserRequest: Sendable, Hashable {
  /// The user's identifier, 1 to 128 bytes; `nil` for one that the project chooses.
  public var uid: String?
  /// The user's address.
  public var email: String?
  /// Whether the address is verified.
  public var isEmailVerified = false
  /// The user's password.
  public var password: Secret?
  /// The user's display name.
  public var displayName: String?
  /// The picture's address.
  public var photoURL: String?
  /// The phone number in E.164 form.
  public var phoneNumber: String?
  /// Whether the account is disabled.
  public var isDisabled = false
  /// The phones that are the user's second factors.
  public var secondFactors: [SecondFactorRequest] = []

  /// Makes a request with the given values and defaults.
  public init(uid: String? = nil, email: String? = nil, password: Secret? = nil) {
    self.uid = uid
    self.email = email
    self.password = password
  }

  var call: CreateAccount {
    var call = CreateAccount(localId: uid)
    call.email = email
    call.emailVerified = isEmailVerified
    call.password = password
    call.displayName = displayName
    call.photoUrl = photoURL
    call.phoneNumber = phoneNumber
    call.disabled = isDisabled
    call.mfaInfo = secondFactors.mfaInfo
    return call
  }
}
