/// The calls of the protocol, in the order in which documents list them.
///
/// This is the one list of all calls. What must know each call, such as the provider, the server's routes and the test
/// backends, is checked against it.
package enum EveryCall {
  /// The calls of clients and of administrators.
  package static let types: [any Call.Type] = [
    SignUp.self, SignInWithPassword.self, SignInWithCustomToken.self, SignInWithIdp.self, SignInWithEmailLink.self,
    SignInWithPhoneNumber.self, SendVerificationCode.self, Lookup.self, Update.self, Delete.self, SendOobCode.self,
    ResetPassword.self, CreateAuthUri.self, ExchangeRefreshToken.self, StartMfaEnrollment.self,
    FinalizeMfaEnrollment.self, WithdrawMfa.self, StartMfaSignIn.self, FinalizeMfaSignIn.self, GetPasswordPolicy.self,
    RevokeToken.self, MakeRecoveryCodes.self, ListSessions.self, RevokeSessions.self,
    // Administrators' calls.
    CreateAccount.self, LookupAccounts.self, ImportAccounts.self, UpdateAccount.self, DeleteAccount.self,
    DeleteAccounts.self, ListAccounts.self, QueryAccounts.self, MakeActionLink.self, CreateSessionCookie.self,
    CheckSession.self, CreateResource.self, ReadResource.self, ListResources.self, UpdateResource.self,
    DeleteResource.self,
  ]

  /// The calls of clients.
  package static var ofClients: [any Call.Type] { types.filter { !($0 is any AdminCall.Type) } }
}
