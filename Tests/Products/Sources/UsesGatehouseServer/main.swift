import GatehouseServer

/// Stands for middleware: it answers one path itself, and hands on the others.
struct Greeting: RequestHandler {
  let next: IdentityServer

  func answer(_ request: ServerRequest) async -> ServerResponse {
    guard request.path != "/hello" else { return ServerResponse(status: 200, body: Array("Hello.".utf8)) }
    return await next.answer(request)
  }
}

var options = ServerOptions()
options.apiKeys = ["key"]
let greeting = Greeting(next: IdentityServer(LocalBackend(directory: "never-opened"), options: options))
let server = HTTPServer(greeting)
let address = try await server.start()
let hello = await greeting.answer(ServerRequest("GET", "/hello"))
let health = await greeting.answer(ServerRequest("GET", "/healthz"))
try await server.stop()
guard case .host("127.0.0.1", let port) = address, port > 0, hello.body.count == 6, health.status == 200 else {
  // The program is a check: its failure is its end, with the reason.
  fatalError("it listened at \(address), and answered \(hello) and \(health)")
}
print("GatehouseServer: it has listened, answered, and stopped.")
