import GatehouseServer

var options = ServerOptions()
options.apiKeys = ["key"]
let server = HTTPServer(IdentityServer(LocalBackend(directory: "never-opened"), options: options))
let address = try await server.start()
try await server.stop()
guard case .host("127.0.0.1", let port) = address, port > 0 else { fatalError("it listened at \(address)") }
print("GatehouseServer: it has listened, and stopped.")
