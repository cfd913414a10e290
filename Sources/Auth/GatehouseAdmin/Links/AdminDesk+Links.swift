import GatehouseBase
import IdentityToolkit

extension AdminAuth {
  /// Returns the work that both forms of each call share: making a link.
  func link(
    _ type: ActionCodeType, _ email: String, to newEmail: String? = nil, _ settings: ActionLinkSettings?
  ) -> @Sendable (AdminDesk) async throws(AuthError) -> String {
    { desk throws(AuthError) in
      var call = MakeActionLink(type, email: email, settings)
      call.newEmail = newEmail
      return try await desk.link(call)
    }
  }
}

extension AdminDesk {
  fileprivate func link(_ call: MakeActionLink) async throws(AuthError) -> String {
    if call.requestType == .emailSignIn, call.canHandleCodeInApp != true {
      throw AuthError(.invalidArgument, "a sign-in link is for an app: set handleCodeInApp to true")
    }
    guard let link = try await answer(call).oobLink else {
      throw AuthError(.responseInvalid, "the server's answer has no link; is its URL right?")
    }
    return link.revealed
  }
}
