/// A credential that was refused because of another account, and is still good: to sign in to that one, or to link once
/// the user has signed in to it.
package indirect enum RefusedCredential: Sendable, Hashable {
  case identity(IdentityCredential)
  case phone(number: String, temporaryProof: Secret)
}
