/// A credential that was rejected because of another account and is still valid: for signing in to that account, or for
/// linking once the user has signed in to it.
package indirect enum RefusedCredential: Sendable, Hashable {
  case identity(IdentityCredential)
  case phone(number: String, temporaryProof: Secret)
}
