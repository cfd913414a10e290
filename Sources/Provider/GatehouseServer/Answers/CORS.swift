import GatehouseBase
import GatehouseHTTP

// A call contains everything that it needs, and cookies are ignored.
extension ServerResponse {
  /// Returns the answer to a browser's preflight request.
  ///
  /// - Parameter permitsPrivateNetwork: whether a page of a public network may call a server of a private one.
  static func preflight(_ request: ServerRequest, permitsPrivateNetwork: Bool) -> ServerResponse {
    var response = ServerResponse(status: 204, headers: ["Access-Control-Max-Age": "3600"])
    response.allowOrigin(of: request)
    response.headers.add("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE, OPTIONS")
    if let names = request.value(of: .requestedHeaders) {
      response.headers.add("Access-Control-Allow-Headers", names)
    }
    if permitsPrivateNetwork, request.value(of: .requestedPrivateNetwork) == "true" {
      response.headers.add("Access-Control-Allow-Private-Network", "true")
    }
    return response
  }

  /// Lets a page of the request's origin read the answer.
  mutating func allowOrigin(of request: ServerRequest) {
    guard let origin = request.value(of: .origin) else { return }
    headers.add("Access-Control-Allow-Origin", origin)
    headers.add("Access-Control-Expose-Headers", DeviceField.name)
    headers.add("Vary", "Origin, Access-Control-Request-Headers")
  }
}
