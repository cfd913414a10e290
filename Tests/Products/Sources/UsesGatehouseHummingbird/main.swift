import GatehouseHummingbird
import Hummingbird

/// A context of the program's own, which has the request's user and one thing more.
struct ShopContext: UserRequestContext {
  var coreContext: CoreRequestContextStorage
  var user: AuthenticatedUser?
  var basket: [String] = []

  init(source: ApplicationRequestContextSource) { coreContext = CoreRequestContextStorage(source: source) }
}

let middleware = UserMiddleware<ShopContext>.self
print("GatehouseHummingbird: \(middleware) has been linked.")
