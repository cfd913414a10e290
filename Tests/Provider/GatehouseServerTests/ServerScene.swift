import Foundation
import GatehouseBase
import GatehouseHTTP
import GatehouseLocal
import GatehouseServer
import GatehouseTesting
import Testing

/// A server without a socket, over a provider in a temporary folder that goes with it, under a clock that only the test
/// moves.
final class ServerScene: Sendable {
  let clock = ManualClocks()
  let provider: LocalBackend
  let server: IdentityServer
  private let folder: String
  private let settings: LocalOptions
  private let options: ServerOptions

  init(
    isEmulator: Bool = false, _ adjust: (inout LocalOptions) -> Void = { _ in },
    options change: (inout ServerOptions) -> Void = { _ in }
  ) {
    // In memory where there is such a place: many small databases would wait for the disk, for nothing.
    let memory = "/dev/shm"
    let parent =
      FileManager.default.isWritableFile(atPath: memory) ? memory : FileManager.default.temporaryDirectory.path
    folder = parent + "/gatehouse-server-" + SystemRandomSource().identifier()
    var settings = LocalOptions()
    settings.clocks = clock
    settings.signing = .es256
    settings.passwordCost = .uncheckedForTests
    if isEmulator { settings.actAsEmulator() }
    adjust(&settings)
    var options = ServerOptions()
    if isEmulator { options.emulator = settings.keepMessages() }
    change(&options)
    provider = LocalBackend(directory: folder, options: settings)
    server = IdentityServer(provider, options: options)
    (self.settings, self.options) = (settings, options)
  }

  /// Another server over the same folder, once the provider has been closed.
  func reopened() -> IdentityServer {
    IdentityServer(LocalBackend(directory: folder, options: settings), options: options)
  }

  var auditFolder: String { folder + "/audit" }

  deinit { Self.remove(folder) }

  static func remove(_ folder: String) {
    // A database that is being closed takes files away of its own, and removal stumbles over that.
    for _ in 1...100 where FileManager.default.fileExists(atPath: folder) {
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  /// Makes the folder unusable.
  func damage() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
  }

  func send(_ request: ServerRequest) async -> Reply { Reply(await server.answer(request)) }

  /// A call with a body of JSON, and an API key.
  func post(_ path: String, _ json: String, headers: TransportHeaders = [:]) async -> Reply {
    await send(ServerRequest("POST", "\(path)?key=k", headers: headers, body: Array(json.utf8)))
  }

  func get(_ path: String, headers: TransportHeaders = ["Host": "id.test"]) async -> Reply {
    await send(ServerRequest("GET", path, headers: headers))
  }

  /// Makes an account, and returns the answer.
  func signUp(_ email: String = "ada@example.com", _ password: String = "correct horse") async -> Reply {
    await post("/v1/accounts:signUp", #"{"email":"\#(email)","password":"\#(password)"}"#)
  }
}

/// An answer, with its JSON.
struct Reply: Sendable {
  let response: ServerResponse
  let json: JSONObject

  init(_ response: ServerResponse) {
    self.response = response
    json = (try? JSONObject(parsing: response.body)) ?? [:]
  }

  var status: Int { response.status }
  /// `error.message`.
  var message: String? { json["error"]?["message"]?.string }
  var idToken: String { json["idToken"]?.string ?? "" }
  /// The last part of a resource's name.
  var resourceID: String? { self["name"]?.split(separator: "/").last.map { String($0) } }

  subscript(_ name: String) -> String? { json[name]?.string }
}
