import GatehouseREST

/// A server that says no to everything.
struct Refusing: HTTPTransport {
  func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
    precondition(request.url.hasPrefix("https://auth.example.org/securetoken.googleapis.com/v1/ping?"))
    return TransportResponse(status: 400, body: Array(#"{"error":{"message":"TOKEN_EXPIRED"}}"#.utf8), url: request.url)
  }
}

/// A call of one's own.
struct Ping: Call {
  static let endpoint = "securetoken.googleapis.com/v1/ping"
  typealias Response = Ping
}

var options = RESTOptions(server: RESTServer(url: "https://auth.example.org"))
options.timeout = .seconds(5)
let backend: any Backend = .identityPlatform(apiKey: "key", options: options, transport: Refusing())
do {
  _ = try await backend.answer(Ping())
  preconditionFailure("a refusal was taken for an answer")
} catch {
  precondition(error.code == .userTokenExpired)
  print("GatehouseREST: \(error.message).")
}
