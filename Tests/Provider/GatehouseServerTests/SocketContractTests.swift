import GatehouseAsyncHTTP
import GatehouseBase
import GatehouseHTTP
import GatehouseLocal
import GatehouseREST
import GatehouseServer
import GatehouseTesting
import HangGuard
import IdentityToolkit
import Testing

/// The client and an emulator keep the contract between them over a real socket, in every group.
@Suite(.endsIfItHangs) struct SocketContractTests {
  private typealias Contract = BackendContract

  @Test(arguments: Contract.all + Contract.signing + Contract.sessions)
  func `the client and the server keep the contract over a socket`(_ check: BackendContract.Check) async throws {
    try await served { _, backend in try await check.run { backend } }
  }

  @Test(
    arguments: Contract.messages + Contract.secondFactors + Contract.phones + Contract.tenants + Contract.identities
      + Contract.customTokens)
  func `the client and the server keep the contract of what leaves them`(
    _ check: BackendContract.EquippedCheck
  ) async throws {
    try await served { scene, backend in try await check.run(backend, with: try await equipment(of: scene)) }
  }

  @Test(arguments: Contract.administered)
  func `the client and the server keep the contract under an administrator`(
    _ check: BackendContract.AdministeredCheck
  ) async throws {
    try await served { scene, backend in
      try await check.run(
        backend, setDisabled: { _ = try await scene.provider.setDisabled(uid: $0, $1) },
        revoke: { _ = try await scene.provider.revoke(uid: $0) })
    }
  }

  private func served(_ work: (ServerScene, RESTBackend) async throws -> Void) async throws {
    let scene = ServerScene(isEmulator: true)
    let server = HTTPServer(scene.server, at: .host("127.0.0.1", port: 0))
    guard case .host(let host, let port) = try await server.start() else { return }
    let transport = AsyncHTTPTransport()
    let options = RESTOptions(server: .emulator(host: host, port: port), clocks: scene.clock)
    do {
      try await work(scene, RESTBackend(apiKey: "k", options: options, transport: transport))
    } catch {
      try await server.stop()
      throw error
    }
    try await server.stop()
  }

  /// Returns what an emulator's client has: the codes that the emulator lists, and credentials without a signature.
  private func equipment(of scene: ServerScene) async throws -> BackendContract.Equipment {
    _ = try await scene.provider.createTenant("north")
    var equipment = BackendContract.Equipment()
    equipment.tenant = "north"
    equipment.now = { scene.clock.now().wall }
    equipment.code = { email in
      for place in ["", "/tenants/north"] {
        let list = await scene.get("/emulator/v1/projects/local\(place)/oobCodes").json["oobCodes"]?.array ?? []
        let code = list.last { $0["email"]?.string == email || $0["newEmail"]?.string == email }
        if let code = code?["oobCode"]?.string { return Secret(code) }
      }
      return Secret("none")
    }
    equipment.textCode = { number in
      for place in ["", "/tenants/north"] {
        let path = "/emulator/v1/projects/local\(place)/verificationCodes"
        let list = await scene.get(path).json["verificationCodes"]?.array ?? []
        let code = list.last { $0["phoneNumber"]?.string == number }
        if let code = code?["code"]?.string { return Secret(code) }
      }
      return Secret("none")
    }
    equipment.identity = { name in
      var credential = IdentityCredential(providerID: "google.com")
      let claims: JSONObject = [
        "sub": .string(name), "email": .string("\(name)@gmail.com"), "email_verified": true, "name": .string(name),
      ]
      credential.idToken = Secret(claims.description)
      return credential
    }
    equipment.customToken = { uid in
      let claims: JSONObject = ["uid": .string(uid)]
      return Secret("\(Base64URL.encode(#"{"alg":"none"}"#.utf8)).\(Base64URL.encode(claims.serialized())).")
    }
    return equipment
  }
}
