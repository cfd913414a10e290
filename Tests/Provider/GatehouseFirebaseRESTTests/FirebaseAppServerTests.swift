import Foundation
import Gatehouse
import GatehouseBase
import GatehouseFirebaseREST
import GatehouseLocal
import GatehouseServer
import HangGuard
import TestSupport
import Testing

@Suite(.endsIfItHangs)
struct FirebaseAppServerTests {
  @Test func `the default app with an apiKey calls the server that useEmulator names`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      try await withServer { port, home in
        let options = FirebaseOptions(googleAppID: "1:2:ios:3", gcmSenderID: "2")
        options.apiKey = "key"
        options.home = home
        options.timeouts = .patient
        FirebaseApp.configure(options: options)
        Auth.auth().useEmulator(withHost: "127.0.0.1", port: port)
        let result = try await Auth.auth().createUser(withEmail: "ada@example.com", password: "correct horse")
        precondition(result.user.email == "ada@example.com" && Auth.auth().app === FirebaseApp.app())
        try await Auth.auth().flush()
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: home)) ?? []
        precondition(
          files.contains("servers/https%3A%2F%2Fidentitytoolkit%2Egoogleapis%2Ecom/session.json"), "\(files)")
        precondition(!files.contains("provider") && !files.contains("session.json"), "\(files)")
        // Too late, and for the embedded provider: said in the log, and nothing traps.
        Auth.auth().useEmulator(withHost: "127.0.0.1", port: 1)
        try await Auth.auth().currentUser?.reload()
        try await Auth.auth().close()
      }
    }
  }

  @Test func `a named app with an apiKey has a session of its own, and one without uses the embedded provider`()
    async throws
  {
    try await withServer { port, home in
      let options = FirebaseOptions()
      options.apiKey = "key"
      options.home = home
      options.timeouts = .patient
      FirebaseApp.configure(name: "remote/one", options: options)
      let remote = Auth.auth(app: try #require(FirebaseApp.app(name: "remote/one")))
      remote.useEmulator(withHost: "127.0.0.1", port: port)
      try await remote.signInAnonymously()
      try await remote.flush()
      options.apiKey = nil
      FirebaseApp.configure(name: "embedded", options: options)
      let embedded = Auth.auth(app: try #require(FirebaseApp.app(name: "embedded")))
      embedded.useEmulator(withHost: "127.0.0.1", port: port)
      let guest = try await embedded.signInAnonymously().user
      try await embedded.flush()
      #expect(remote.currentUser != nil && remote.currentUser?.uid != guest.uid)
      #expect(FirebaseApp.app(name: "remote/one")?.options.apiKey == "key")
      let files = try FileManager.default.subpathsOfDirectory(atPath: home)
      #expect(files.contains { $0.hasPrefix("servers/") && $0.hasSuffix("/apps/remote%2Fone.json") }, "\(files)")
      #expect(files.contains("apps/embedded.json") && files.contains("provider"), "\(files)")
      // A second app of a name is refused, and the first stays.
      FirebaseApp.configure(name: "embedded", options: options)
      #expect(FirebaseApp.app(name: "embedded").map { Auth.auth(app: $0) } == embedded)
      try await remote.close()
      try await embedded.close()
    }
  }
}

/// Runs a body with the port of a server on this machine, and a folder for an app.
private func withServer(_ body: (Int, String) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-app-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: folder) }
  try FileManager.default.createDirectory(
    at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  var options = LocalOptions()
  options.passwordCost = .uncheckedForTests
  let provider = LocalBackend(directory: folder.appending(path: "server").path, options: options)
  let server = HTTPServer(IdentityServer(provider))
  guard case .host(_, let port) = try await server.start() else { throw AuthError(.internalError, "no port") }
  let outcome: (any Error)?
  do {
    try await body(port, folder.appending(path: "app").path)
    outcome = nil
  } catch {
    outcome = error
  }
  try await server.stop()
  try await provider.close()
  if let outcome { throw outcome }
}
