import GatehouseAsyncHTTP

let transport = AsyncHTTPTransport(clocks: SystemClocks())
do {
  _ = try await transport.send(TransportRequest(.get, "http://keys.example/"))
  preconditionFailure("plain HTTP went to another machine")
} catch {
  print("GatehouseAsyncHTTP: \(error.message).")
}
