import GatehouseAsyncHTTP
import GatehouseHummingbird
import GatehouseJOSE
import Hummingbird

func serveUsers(ofProject project: String) async throws {
  let keys = "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
  let verifier = RemoteTokenVerifier(
    keys: try RemoteKeySet(url: keys, transport: AsyncHTTPTransport()), policy: .firebaseIDToken(project: project))
  let router = Router(context: BasicUserRequestContext.self)
  router.addMiddleware { UserMiddleware(RequestAuthenticator(verifier)) }
  router.get("me") { _, context in "You are \(context.user?.uid ?? "a guest")." }
  try await Application(router: router).runService()
}
