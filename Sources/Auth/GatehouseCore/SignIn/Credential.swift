package import GatehouseBase
import IdentityToolkit

/// What proves an identity to the provider.
package enum Credential: Sendable, Hashable {
  case password(email: String, Secret)
  /// An address and the code of a message that was sent to it.
  case emailLink(email: String, code: Secret)

  /// The identity provider: for both `password`, as the protocol has it.
  package var providerID: String { "password" }
}

extension EngineEnvironment {
  /// Asks the provider to take a credential: it signs in or, with an ID token, links it to that token's account.
  func present(
    _ credential: Credential, linkingTo idToken: Secret? = nil
  ) async throws(AuthError) -> (response: SignInResponse, received: ClockReading) {
    switch credential {
    case .password(let email, let password):
      guard let idToken else { return try await ask(SignInWithPassword(email: email, password: password)) }
      return try await ask(SignUp(email: email, password: password, linkingTo: idToken))
    case .emailLink(let email, let code):
      return try await ask(SignInWithEmailLink(email: email, oobCode: code, linkingTo: idToken))
    }
  }
}
