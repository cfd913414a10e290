import Foundation
import GatehouseAdmin
import GatehouseBase
import GatehouseHTTP
import GatehouseQueues
import GatehouseServer
import Testing

/// Application Default Credentials: where they are looked for, and what they are.
struct DefaultCredentialTests {
  private let folder =
    FileManager.default.temporaryDirectory.path + "/gatehouse-adc-" + SystemRandomSource().identifier()

  init() throws {
    try FileManager.default.createDirectory(atPath: folder + "/.config/gcloud", withIntermediateDirectories: true)
  }

  @Test func `the file that the variable names is taken first, then the well-known one`() async throws {
    let scene = try await AdminScene()
    let named = try await KeyFile(scene.scene, name: "named", tokenURL: "http://localhost/token")
    let known = try await KeyFile(scene.scene, name: "known", tokenURL: "http://localhost/token")
    try write(named.text.revealed, to: "named.json")
    try write(known.text.revealed, to: ".config/gcloud/application_default_credentials.json")
    for (environment, email) in [
      (["GOOGLE_APPLICATION_CREDENTIALS": folder + "/named.json", "HOME": folder], named.email),
      (["HOME": folder], known.email),
      (["CLOUDSDK_CONFIG": folder + "/.config/gcloud", "HOME": "/nowhere"], known.email),
      (["GOOGLE_APPLICATION_CREDENTIALS": "", "HOME": folder], known.email),
    ] {
      let token = try await admin(environment, scene.wire).createCustomToken(forUID: "ada")
      #expect(token.split(separator: ".").count == 3)
      let claims = try JSONObject(parsing: try Base64URL.decode(String(token.split(separator: ".")[1])))
      #expect(claims["iss"]?.string == email)
    }
  }

  @Test(arguments: [
    "", "{", "[]", "{}", #"{"type":"service_account"}"#, #"{"type":"external_account"}"#,
    #"{"type":"service_account","project_id":"p","client_email":"e","token_uri":"x","private_key":"SECRETKEY"}"#,
    #"{"type":"authorized_user","client_id":"c","client_secret":"SECRETKEY"}"#,
  ])
  func `a file that is named and cannot be used is an error without its secrets`(text: String) async throws {
    let scene = try await AdminScene()
    try write(text, to: "bad.json")
    let environment = ["GOOGLE_APPLICATION_CREDENTIALS": folder + "/bad.json", "HOME": folder]
    let error = await expectRefusal(.invalidArgument) { try await admin(environment, scene.wire).listUsers() }
    #expect(error?.message.contains("SECRETKEY") == false)
    let missing = ["GOOGLE_APPLICATION_CREDENTIALS": folder + "/none.json", "HOME": folder]
    await expectRefusal(.invalidArgument) { try await admin(missing, scene.wire).listUsers() }
  }

  @Test func `a user of gcloud is an administrator by their refresh token`() async throws {
    let scene = try await AdminScene()
    let access = try await KeyFile(scene.scene, name: "real").accessToken(scene.scene)
    try write(
      """
      {"type": "authorized_user", "client_id": "c", "client_secret": "s&s", "refresh_token": "r",
       "token_uri": "http://localhost/user"}
      """,
      to: ".config/gcloud/application_default_credentials.json")
    scene.wire.intercept { request in
      guard request.url == "http://localhost/user" else { return nil }
      let form = String(decoding: request.body ?? [], as: UTF8.self)
      #expect(form == "grant_type=refresh_token&client_id=c&client_secret=s%26s&refresh_token=r")
      return TransportResponse(
        status: 200, body: Array(#"{"access_token":"\#(access)","expires_in":3599}"#.utf8), url: request.url)
    }
    let nameless = admin(["HOME": folder], scene.wire)
    await expectRefusal(.invalidArgument) { try await nameless.listUsers() }
    let user = admin(["HOME": folder, "GOOGLE_CLOUD_PROJECT": "local"], scene.wire)
    #expect(try await user.listUsers().users == [])
    await expectRefusal(.operationNotAllowed) { try await user.createCustomToken(forUID: "ada") }
  }

  @Test func `a machine of Google's asks its metadata server`() async throws {
    let scene = try await AdminScene()
    let access = try await KeyFile(scene.scene, name: "real").accessToken(scene.scene)
    let environment = ["HOME": folder, "GCE_METADATA_HOST": "localhost:8080"]
    let metadata = "http://localhost:8080/computeMetadata/v1/"
    @Sendable func serve(_ path: String, _ body: String, _ headers: TransportHeaders) {
      scene.wire.intercept { request in
        guard request.url == metadata + path, request.headers["Metadata-Flavor"] == "Google" else { return nil }
        return TransportResponse(status: 200, headers: headers, body: Array(body.utf8), url: request.url)
      }
    }
    serve("project/project-id", "local", [:])
    await expectRefusal(.responseInvalid) { try await admin(environment, scene.wire).listUsers() }
    #expect(scene.wire.count("default/token") == 0, "what does not say that it is Google's is not asked for more")
    serve("project/project-id", "local", ["Metadata-Flavor": "Google"])
    serve(
      "instance/service-accounts/default/token", #"{"access_token":"\#(access)","expires_in":3599}"#,
      ["Metadata-Flavor": "Google"])
    #expect(try await admin(environment, scene.wire).listUsers().users == [])
  }

  @Test func `a service account shows nothing of its key`() async throws {
    let scene = try await AdminScene()
    let file = try await KeyFile(scene.scene, name: "other")
    let account = try ServiceAccount(json: file.text)
    var dumped = ""
    dump(account, to: &dumped)
    dump(AdminCredential.serviceAccount(account), to: &dumped)
    for text in ["\(account)", String(reflecting: account), "\(AdminCredential.serviceAccount(account))", dumped] {
      #expect(text.contains("other@") || text.contains("AdminCredential"))
      #expect(!text.contains("PRIVATE") && !text.contains("MII"))
    }
  }

  @Test func `an emulator takes its owner`() async throws {
    let scene = ServerScene(isEmulator: true)
    var options = AdminOptions()
    options.projectID = "local"
    options.clocks = scene.clock
    options.server = RESTServer(url: "http://localhost")
    let admin = AdminAuth(credential: .emulator, options: options, transport: Wire(scene))
    #expect(try await admin.createUser(CreateUserRequest(uid: "ada")).uid == "ada")
  }

  private func admin(_ environment: [String: String], _ wire: Wire) -> AdminAuth {
    var options = AdminOptions()
    options.clocks = wire.clock
    options.server = RESTServer(url: "http://localhost")
    return AdminAuth(
      credential: .applicationDefault(environment: { environment[$0] }), options: options, transport: wire)
  }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
  }
}
