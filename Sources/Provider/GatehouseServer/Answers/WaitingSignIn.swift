import GatehouseBase
import IdentityToolkit

/// The answer to a sign-in that waits for a second factor: to the protocol it is no error.
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
