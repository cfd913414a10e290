import GatehouseBase
import IdentityToolkit

/// A user's identity at an identity provider, as the provider has proved it.
struct VerifiedIdentity: Sendable {
  let provider: String
  /// The user's identifier at the provider.
  let subject: String
  /// The identifier as a URL, if the provider has one.
  var federatedID: String?
  var email: EmailAddress?
  /// Whether the provider says that the address is verified, and is trusted with that.
  var hasProvedEmail = false
  var displayName: String?
  var photoURL: String?
  var username: String?
  /// Everything that the provider reported.
  var profile: JSONObject

  /// - Throws: `INVALID_IDP_RESPONSE` without an identifier that can be stored.
  init(
    _ provider: String, _ profile: JSONObject, _ members: UserInfoEndpoint.Members, trustingEmail: Bool
  ) throws(AuthError) {
    self.provider = provider
    self.profile = profile
    // A whole number is a valid identifier too, as at GitHub.
    let subject = profile[members.subject].flatMap { $0.string ?? $0.integer.map(String.init) }
    guard let subject = try? subject.flatMap(ProfileField.subject.checked) else {
      throw AuthError(server: .invalidIDPResponse, "it names no user (\(members.subject.printable()))")
    }
    self.subject = subject
    // An invalid field must not prevent the sign-in, so it is left out.
    let given = profile[members.email]?.string
    email = given.flatMap { try? EmailAddress($0) }.flatMap { email in (try? email.requireHonest()).map { email } }
    // Apple sends it as text.
    let isVerified = profile[members.emailVerified].map { $0.bool ?? ($0.string == "true") } ?? false
    // The provider may tell apart what is one address here, such as `ﬁ` and `fi`, and give each to another person.
    let lowercased = given?.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } ?? []
    hasProvedEmail = email?.text.utf8.elementsEqual(lowercased) == true && isVerified && trustingEmail
    displayName = profile[members.name]?.string.flatMap { try? ProfileField.displayName.checked($0) }
    photoURL = profile[members.picture]?.string.flatMap { try? ProfileField.photoURL.checked($0) }
    username = profile[members.username]?.string.flatMap { try? ProfileField.displayName.checked($0) }
  }
}
