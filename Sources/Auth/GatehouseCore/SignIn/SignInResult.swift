/// The result of a sign-in.
package struct SignInResult: Sendable {
  package let session: UserSession
  package let isNewUser: Bool
  package let providerID: String?

  package init(session: UserSession, isNewUser: Bool, providerID: String?) {
    self.session = session
    self.isNewUser = isNewUser
    self.providerID = providerID
  }
}
