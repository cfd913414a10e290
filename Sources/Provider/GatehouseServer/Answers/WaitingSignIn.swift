import GatehouseBase
import IdentityToolkit

/// The answer to a sign-in that waits for a second factor, which is not an error in the protocol.
struct WaitingSignIn: Encodable {
  let mfaPendingCredential: Secret
  let mfaInfo: [Account.MfaEnrollment]
  let email: String?

  init(_ pending: PendingSignIn, email: String?) {
    mfaPendingCredential = pending.credential
    mfaInfo = pending.factors.map(Account.MfaEnrollment.init)
    self.email = email
  }
}
