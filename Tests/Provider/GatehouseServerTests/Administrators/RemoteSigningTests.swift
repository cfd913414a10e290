import Foundation
import GatehouseAdmin
import GatehouseBase
import GatehouseHTTP
import GatehouseJOSE
import GatehouseQueues
import GatehouseServer
import Testing

/// Custom tokens of a credential that has no key: Google's IAM signs them. What plays IAM holds the key.
struct RemoteSigningTests {
  private static let metadata = "http://localhost:8080/computeMetadata/v1/"

  /// A machine of Google's, or a user of gcloud.
  private struct Machine {
    let scene: AdminScene
    let file: KeyFile
    let access: String

    init() async throws {
      scene = try await AdminScene()
      file = try await KeyFile(scene.scene, name: "signer")
      access = try await file.accessToken(scene.scene)
    }

    func admin(serviceAccount: String? = nil, isUser: Bool = false) throws -> AdminAuth {
      var options = AdminOptions()
      options.clocks = scene.scene.clock
      options.server = RESTServer(url: "http://localhost")
      options.projectID = scene.scene.provider.audience
      options.serviceAccountID = serviceAccount
      var environment = ["GCE_METADATA_HOST": "localhost:8080"]
      if isUser {
        let folder = FileManager.default.temporaryDirectory.path + "/gatehouse-iam-" + SystemRandomSource().identifier()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        environment["GOOGLE_APPLICATION_CREDENTIALS"] = folder + "/user.json"
        let text = #"""
          {"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r",
           "token_uri":"http://localhost/user"}
          """#
        try Data(text.utf8).write(to: URL(filePath: folder + "/user.json"))
      }
      return AdminAuth(
        credential: .applicationDefault(environment: { [environment] in environment[$0] }), options: options,
        transport: scene.wire)
    }

    func answer(_ url: String, _ status: Int = 200, _ body: @escaping @Sendable (TransportRequest) -> String) {
      scene.wire.intercept { request in
        guard request.url == url else { return nil }
        return TransportResponse(
          status: status, headers: ["Metadata-Flavor": "Google"], body: Array(body(request).utf8), url: request.url)
      }
    }

    func answerToken() {
      let access = access
      answer(metadata + "instance/service-accounts/default/token") { _ in
        #"{"access_token":"\#(access)","expires_in":3599}"#
      }
    }

    func answerEmail() {
      let email = file.email
      answer(metadata + "instance/service-accounts/default/email") { _ in email }
    }

    /// Signs once, as IAM does.
    func sign(_ status: Int = 200, _ change: @escaping @Sendable (inout JSONObject) -> Void = { _ in }) {
      let signer = file.signer, access = access
      answer(signURL, status) { request in
        #expect(request.headers["Authorization"] == "Bearer \(access)")
        guard let body = try? JSONObject(parsing: request.body ?? []),
          var claims = try? JSONObject(parsing: (body["payload"]?.string ?? "").utf8)
        else { return "{}" }
        change(&claims)
        return #"{"keyId":"k","signedJwt":"\#((try? signer.sign(claims)) ?? "")"}"#
      }
    }

    var signURL: String {
      "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/"
        + file.email.replacing("@", with: "%40") + ":signJwt"
    }
  }

  @Test func `a machine's account signs, whose address its metadata server tells once`() async throws {
    let machine = try await Machine()
    machine.answerToken()
    machine.answerEmail()
    machine.sign()
    let admin = try machine.admin()
    let token = try await admin.createCustomToken(forUID: "ada", claims: ["role": "countess"])
    let reply = await machine.scene.scene.post("/v1/accounts:signInWithCustomToken", #"{"token":"\#(token)"}"#)
    let claims = try UnverifiedToken(reply.idToken)
    #expect(claims.subject == "ada" && claims["role"]?.string == "countess")
    machine.sign()
    let tenant = try UnverifiedToken(try await admin.auth(forTenant: "t").createCustomToken(forUID: "bob"))
    #expect(tenant["tenant_id"]?.string == "t" && tenant["uid"]?.string == "bob")
    #expect(machine.scene.wire.count("default/email") == 1 && machine.scene.wire.count("default/token") == 1)
    await expectRefusal(.invalidArgument) { try await admin.createCustomToken(forUID: "") }
    await expectRefusal(.invalidArgument) { try await admin.createCustomToken(forUID: "x", claims: ["sub": "root"]) }
  }

  @Test func `a user of gcloud signs for the account that the options name`() async throws {
    let machine = try await Machine()
    let nameless = try machine.admin(isUser: true)
    let error = await expectRefusal(.operationNotAllowed) { try await nameless.createCustomToken(forUID: "ada") }
    #expect(error?.message.contains("serviceAccountID") == true)
    let access = machine.access
    machine.answer("http://localhost/user") { _ in #"{"access_token":"\#(access)","expires_in":3599}"# }
    machine.sign()
    let token = try await machine.admin(serviceAccount: machine.file.email, isUser: true)
      .createCustomToken(forUID: "ada")
    #expect(try UnverifiedToken(token).issuer == machine.file.email)
  }

  @Test func `the account of the options is taken before the machine's`() async throws {
    let machine = try await Machine()
    machine.answerToken()
    machine.sign()
    _ = try await machine.admin(serviceAccount: machine.file.email).createCustomToken(forUID: "ada")
    #expect(machine.scene.wire.count("default/email") == 0)
  }

  @Test func `an access token that IAM refuses is replaced, once`() async throws {
    let machine = try await Machine()
    for _ in 1...2 { machine.answerToken() }
    machine.answer(machine.signURL, 401) { _ in "{}" }
    machine.sign()
    let admin = try machine.admin(serviceAccount: machine.file.email)
    _ = try await admin.createCustomToken(forUID: "ada")
    #expect(machine.scene.wire.count("default/token") == 2)
    machine.answerToken()
    for _ in 1...2 { machine.answer(machine.signURL, 401) { _ in "{}" } }
    await expectRefusal(.adminRestrictedOperation) { try await admin.createCustomToken(forUID: "ada") }
  }

  @Test(arguments: [
    (403, AuthError.Code.adminRestrictedOperation), (404, .invalidArgument), (429, .tooManyRequests),
    (503, .networkError), (400, .responseInvalid), (200, .responseInvalid),
  ])
  func `an answer of IAM that is no token is an error`(status: Int, code: AuthError.Code) async throws {
    let machine = try await Machine()
    machine.answerToken()
    machine.answer(machine.signURL, status) { _ in #"{"signedJwt":"x.y.z"}"# }
    let admin = try machine.admin(serviceAccount: machine.file.email)
    await expectRefusal(code) { try await admin.createCustomToken(forUID: "ada") }
  }

  @Test(arguments: ["uid", "exp", "claims"])
  func `a token of other claims than were asked for is refused`(name: String) async throws {
    let machine = try await Machine()
    machine.answerToken()
    machine.sign { $0[name] = nil }
    let admin = try machine.admin(serviceAccount: machine.file.email)
    await expectRefusal(.responseInvalid) { try await admin.createCustomToken(forUID: "ada", claims: ["a": 1]) }
  }

  @Test func `an emulator's owner signs nothing, and only an emulator takes it`() async throws {
    let emulator = ServerScene(isEmulator: true), server = ServerScene()
    var options = AdminOptions()
    options.projectID = "local"
    options.clocks = emulator.clock
    let admin = AdminAuth(credential: .emulator, options: options, transport: Wire(emulator))
    let token = try await admin.createCustomToken(forUID: "ada", claims: ["role": "countess"])
    #expect(token.hasSuffix("."))
    let body = #"{"token":"\#(token)"}"#
    #expect(
      try UnverifiedToken(await emulator.post("/v1/accounts:signInWithCustomToken", body).idToken).subject == "ada")
    #expect(await server.post("/v1/accounts:signInWithCustomToken", body).status == 400)
  }
}
