import GatehouseBase
import GatehouseHTTP
import IdentityToolkit

extension AdminDesk {
  func link(
    _ type: ActionCodeType, _ email: String, _ settings: ActionLinkSettings?
  ) async throws(AuthError) -> String {
    if type == .emailSignIn, settings?.handleCodeInApp != true {
      throw AuthError(.invalidArgument, "a sign-in link is for an app: set handleCodeInApp to true")
    }
    guard let link = try await answer(MakeActionLink(type, email: email, settings)).oobLink else {
      throw AuthError(.responseInvalid, "the server's answer has no link; is its URL right?")
    }
    return link.revealed
  }
}
