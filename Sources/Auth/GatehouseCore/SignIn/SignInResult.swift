package import GatehouseBase

/// The result of a sign-in.
package struct SignInResult: Sendable {
  package let session: UserSession
  package let isNewUser: Bool
  package let providerID: String?
  /// The identity provider's details besides the user.
  package let details: IdentityDetails?

  package init(session: UserSession, isNewUser: Bool, providerID: String?, details: IdentityDetails? = nil) {
    self.session = session
    self.isNewUser = isNewUser
    self.providerID = providerID
    self.details = details
  }
}
