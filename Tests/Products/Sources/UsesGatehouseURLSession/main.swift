import GatehouseURLSession

let transport = URLSessionTransport(clocks: SystemClocks())
do {
  _ = try await transport.send(TransportRequest(.get, "http://keys.example/"))
  preconditionFailure("plain HTTP went to another machine")
} catch {
  print("GatehouseURLSession: \(error.message).")
}
