package import GatehouseBase
package import IdentityToolkit

/// The proof of an identity to the provider.
package enum Credential: Sendable, Hashable {
  case password(email: String, Secret)
  /// An address and the code of a message that was sent to it.
  case emailLink(email: String, code: Secret)
  /// The tokens of another identity provider.
  case identity(IdentityCredential)
  /// The code that was sent to a phone.
  case phone(PhoneProof)

  /// The identity provider; `password` for an address, as in the protocol.
  package var providerID: String {
    switch self {
    case .password, .emailLink: "password"
    case .identity(let credential): credential.providerID
    case .phone: "phone"
    }
  }
}

/// The use that a credential is presented for.
enum CredentialUse: Sendable {
  /// A sign-in to an account of a tenant, or of the project.
  case signIn(tenantID: String?)
  /// A sign-in that must not create an account.
  case reauthentication(tenantID: String?)
  /// Adds a way to sign in to the account of an ID token.
  case link(Secret)
  /// Changes the phone of the account of an ID token.
  case update(Secret)

  var idToken: Secret? {
    switch self {
    case .signIn, .reauthentication: nil
    case .link(let idToken), .update(let idToken): idToken
    }
  }

  /// The tenant, if no ID token determines it.
  fileprivate var tenantID: String? {
    switch self {
    case .signIn(let tenantID), .reauthentication(let tenantID): tenantID
    case .link, .update: nil
    }
  }

  fileprivate var operation: SignInWithPhoneNumber.Operation {
    switch self {
    case .signIn: .signUpOrIn
    case .reauthentication: .reauthenticate
    case .link: .link
    case .update: .update
    }
  }
}

/// The provider's answer to a credential.
struct CredentialAnswer: Sendable {
  let response: SignInResponse
  let received: ClockReading
  /// The identity provider's details besides the user.
  var details: IdentityDetails?
}

extension EngineEnvironment {
  /// Presents a credential to the provider.
  func present(_ credential: Credential, for use: CredentialUse) async throws(AuthError) -> CredentialAnswer {
    switch credential {
    case .password(let email, let password):
      guard let idToken = use.idToken else {
        // As in Firebase, without a request: the provider's word for it is one for a sign-up, `weakPassword`.
        guard !password.revealed.isEmpty else { throw AuthError(.wrongPassword, "the password is empty") }
        return try await answer(to: SignInWithPassword(email: email, password: password).of(use.tenantID))
      }
      return try await answer(to: SignUp(email: email, password: password, linkingTo: idToken))
    case .emailLink(let email, let code):
      let call = SignInWithEmailLink(email: email, oobCode: code, linkingTo: use.idToken)
      return try await answer(to: call.of(use.tenantID))
    case .identity(let credential):
      var call = SignInWithIdp(credential, linkingTo: use.idToken).of(use.tenantID)
      if case .reauthentication = use { call.autoCreate = false }
      let (response, received) = try await ask(call)
      return CredentialAnswer(
        response: try response.signIn(with: credential), received: received, details: response.details(of: credential))
    case .phone(let proof):
      let call = SignInWithPhoneNumber(proof, use.operation, of: use.idToken)
      let (response, received) = try await ask(call.of(use.tenantID))
      return CredentialAnswer(response: try response.signIn(), received: received)
    }
  }

  func answer<C: Call>(to call: C) async throws(AuthError) -> CredentialAnswer where C.Response == SignInResponse {
    let (response, received) = try await ask(call)
    return CredentialAnswer(response: response, received: received)
  }
}

extension TenantCall {
  /// Returns the call, addressed to the accounts of a tenant or of the project.
  func of(_ tenantID: String?) -> Self {
    var call = self
    call.tenantId = tenantID
    return call
  }
}

extension SignInWithIdp.Response {
  /// Returns the details for the app besides the user.
  fileprivate func details(of credential: IdentityCredential) -> IdentityDetails {
    var details = IdentityDetails(usable(credential))
    details.profile = rawUserInfo
    details.username = screenName
    return details
  }

  /// Returns the credential for a later call: the provider's pending token, or otherwise everything that the caller has
  /// passed.
  func usable(_ given: IdentityCredential) -> IdentityCredential { pendingToken == nil ? given : credential }
}
