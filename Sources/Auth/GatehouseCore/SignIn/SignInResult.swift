package import GatehouseBase

/// The result of a sign-in.
package struct SignInResult: Sendable {
  package let session: UserSession
  package let isNewUser: Bool
  package let providerID: String?
  /// What an identity provider has told beside the user.
  package let details: IdentityDetails?

  package init(session: UserSession, isNewUser: Bool, providerID: String?, details: IdentityDetails? = nil) {
    self.session = session
    self.isNewUser = isNewUser
    self.providerID = providerID
    self.details = details
  }
}
