import GatehouseHTTP

/// A transport of the user's own, which answers every request with nothing.
struct Nothing: HTTPTransport {
  func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
    TransportResponse(status: 204, headers: [:], body: [], url: request.url)
  }
}

let response = try await Nothing().send(TransportRequest(.get, "https://example.com/"))
precondition(response.status == 204)
print("GatehouseHTTP: a transport of one's own answered \(response.status).")
