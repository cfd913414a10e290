import GatehouseBase
import GatehouseHTTP
import GatehouseREST

/// A server that a home's session belongs to, in place of the home's own provider.
struct SessionServer: Sendable, Hashable {
  let backend: BackendName
  /// The key that identifies the project. It gives no access to anything.
  let apiKey: String

  /// The server's name, for people to read and for `--backend`.
  var name: String { backend.text }

  /// The name of the session's file. It is different for every server.
  var fileName: String {
    let letters = name.utf8.map { byte in
      "abcdefghijklmnopqrstuvwxyz0123456789.-_".utf8.contains(byte)
        ? String(UnicodeScalar(byte)) : "%" + String(Int(byte) + 0x100, radix: 16, uppercase: true).dropFirst()
    }
    return letters.joined() + ".json"
  }

  /// - Parameter transport: carries the requests; `nil` for one of its own.
  func asBackend(device: Secret?, over transport: (any HTTPTransport)? = nil) -> RESTBackend {
    // Only a server on this machine is asked over plain HTTP, and Google's emulator is one.
    let server: RESTServer = name.hasPrefix("http://") ? .emulator(url: name) : RESTServer(url: name)
    var options = RESTOptions(server: backend == .identityPlatform ? .google : server)
    options.device = device
    return RESTBackend(apiKey: apiKey, options: options, transport: transport)
  }
}

extension SessionServer {
  /// The form in which the home remembers the server.
  var json: JSONObject { ["backend": .string(name), "apiKey": .string(apiKey)] }

  /// - Throws: `.storeDamaged` for an object that `json` cannot have written.
  init(_ json: JSONObject, in file: String) throws(AuthError) {
    let damaged = AuthError(.storeDamaged, "\(file) is damaged; remove it, and run: gate sign-in EMAIL --backend …")
    guard let text = json["backend"]?.string, let apiKey = json["apiKey"]?.string else { throw damaged }
    do throws(AuthError) { backend = try BackendName(text) } catch { throw damaged }
    guard backend != .home else { throw damaged }
    self.apiKey = apiKey
  }
}
