import GatehouseBase
import GatehouseHTTP
import GatehouseREST
import GatehouseServer
import IdentityToolkit

/// Carries requests to a server without a socket between them, whatever host they name.
struct ServerTransport: HTTPTransport {
  let scene: ServerScene

  func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
    try typed { try request.check() }
    let target = request.url.drop { $0 != ":" }.dropFirst("://".count).drop { $0 != "/" }
    let response = await scene.server.answer(
      ServerRequest(request.method.rawValue, String(target), headers: request.headers, body: request.body ?? []))
    return TransportResponse(
      status: response.status, headers: response.headers, body: response.body, url: request.url)
  }
}

extension RESTBackend {
  /// The client that sends its calls to a scene's server.
  convenience init(_ scene: ServerScene, _ change: (inout RESTOptions) -> Void = { _ in }) {
    var options = RESTOptions(server: RESTServer(url: "http://localhost"), clocks: scene.clock)
    change(&options)
    self.init(apiKey: "k", options: options, transport: ServerTransport(scene: scene))
  }
}
