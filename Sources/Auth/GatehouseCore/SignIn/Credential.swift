package import GatehouseBase
package import IdentityToolkit

/// What proves an identity to the provider.
package enum Credential: Sendable, Hashable {
  case password(email: String, Secret)
  /// An address and the code of a message that was sent to it.
  case emailLink(email: String, code: Secret)
  /// What another identity provider has given.
  case identity(IdentityCredential)
  /// The code that was sent to a phone.
  case phone(PhoneProof)

  /// The identity provider: for addresses `password`, as the protocol has it.
  package var providerID: String {
    switch self {
    case .password, .emailLink: "password"
    case .identity(let credential): credential.providerID
    case .phone: "phone"
    }
  }
}

/// What a credential is presented for.
enum CredentialUse: Sendable {
  /// Among the accounts of a tenant, or the project's own.
  case signIn(tenantID: String?)
  /// A sign-in that must not make an account.
  case reauthentication(tenantID: String?)
  /// Gives the account of an ID token another way to sign in.
  case link(Secret)
  /// Gives the account of an ID token another phone.
  case update(Secret)

  var idToken: Secret? {
    switch self {
    case .signIn, .reauthentication: nil
    case .link(let idToken), .update(let idToken): idToken
    }
  }

  /// The tenant, where no ID token says it.
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
  /// What an identity provider has told beside the user.
  var details: IdentityDetails?
}

extension EngineEnvironment {
  /// Asks the provider to take a credential.
  func present(_ credential: Credential, for use: CredentialUse) async throws(AuthError) -> CredentialAnswer {
    switch credential {
    case .password(let email, let password):
      guard let idToken = use.idToken else {
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
  /// The call, about the accounts of a tenant or the project's own.
  func of(_ tenantID: String?) -> Self {
    var call = self
    call.tenantId = tenantID
    return call
  }
}

extension SignInWithIdp.Response {
  /// What the app is told beside the user.
  fileprivate func details(of credential: IdentityCredential) -> IdentityDetails {
    var details = IdentityDetails(usable(credential))
    details.profile = rawUserInfo
    details.username = screenName
    return details
  }

  /// The credential for a later call: what stands for it at the provider, or else all that the caller has given.
  func usable(_ given: IdentityCredential) -> IdentityCredential { pendingToken == nil ? given : credential }
}
