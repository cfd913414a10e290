public import GatehouseBase
import IdentityToolkit

/// A user to be made. Set what is known.
public struct CreateUserRequest: Sendable, Hashable {
  /// The user's identifier, 1 to 128 bytes; `nil` for one that the project makes up.
  public var uid: String?
  /// The user's address.
  public var email: String?
  /// Whether the address is known to be the user's.
  public var isEmailVerified = false
  /// The password to sign in with.
  public var password: Secret?
  /// The name to show.
  public var displayName: String?
  /// The picture's address.
  public var photoURL: String?
  /// The phone number, as E.164 writes it.
  public var phoneNumber: String?
  /// Whether the user may not sign in.
  public var isDisabled = false
  /// The phones that are the user's second factors.
  public var secondFactors: [SecondFactorRequest] = []

  /// A user of whom nothing is known, unless it is given.
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
