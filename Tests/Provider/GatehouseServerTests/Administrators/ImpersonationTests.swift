import Foundation
import GatehouseAdmin
import GatehouseBase
import GatehouseHTTP
import GatehouseQueues
import GatehouseTesting
import HangGuard
import Testing

/// A credential that acts for a service account: Google's IAM lends that account's tokens to it, and signs for it.
struct ImpersonationTests {
  private static let account =
    "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/robot@local.iam.gserviceaccount.com"
  private static let lending = account + ":generateAccessToken"
  private static let source = "http://localhost/user"

  /// A user of gcloud who acts for a service account of the scene's server.
  private struct Impersonator {
    let scene: AdminScene
    let access: String
    let folder: CredentialFolder

    init() async throws {
      scene = try await AdminScene()
      access = try await KeyFile(scene.scene, name: "robot").accessToken(scene.scene)
      folder = CredentialFolder()
    }

    static let file = #"""
      {"type": "impersonated_service_account", "delegates": ["a@b", "c@d"],
       "service_account_impersonation_url": "\#(lending)",
       "source_credentials": {"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r",
         "token_uri": "\#(source)"}}
      """#

    func admin(_ file: String = file, over transport: (any HTTPTransport)? = nil) throws -> AdminAuth {
      let path = folder.path + "/adc.json"
      try Data(file.utf8).write(to: URL(filePath: path))
      var options = AdminOptions()
      options.clocks = scene.scene.clock
      options.server = RESTServer(url: "http://localhost")
      let environment = ["GOOGLE_APPLICATION_CREDENTIALS": path]
      return AdminAuth(
        credential: .applicationDefault(environment: { environment[$0] }), options: options,
        transport: transport ?? scene.wire)
    }

    func answer(_ url: String, _ status: Int, _ body: String) {
      scene.wire.intercept { request in
        request.url == url ? TransportResponse(status: status, body: Array(body.utf8), url: request.url) : nil
      }
    }

    func answerSource(_ token: String = "user-token") {
      answer(source, 200, #"{"access_token":"\#(token)","expires_in":3599}"#)
    }

    /// IAM lends the account's token once, to the holder of this one.
    func lend(to token: String = "user-token", until end: String? = nil) {
      let access = access
      let body = #"{"accessToken":"\#(access)"\#(end.map { #","expireTime":"\#($0)""# } ?? "")}"#
      scene.wire.intercept { request in
        guard request.url == lending else { return nil }
        #expect(request.headers["Authorization"] == "Bearer \(token)")
        let sent = try? JSONObject(parsing: request.body ?? [])
        #expect(sent?["lifetime"] == "3600s" && sent?["delegates"] == ["a@b", "c@d"])
        #expect(sent?["scope"]?.array?.isEmpty == false)
        return TransportResponse(status: 200, body: Array(body.utf8), url: request.url)
      }
    }
  }

  @Test func `a user acts for a service account, whose token is lent once and used until its end`() async throws {
    let robot = try await Impersonator()
    robot.answerSource()
    robot.lend()
    let admin = try robot.admin()
    for _ in 1...2 { #expect(try await admin.listUsers().users == []) }
    #expect(robot.scene.wire.count(":generateAccessToken") == 1 && robot.scene.wire.count("/user") == 1)
    // Both tokens have come to their ends, and the account's one is over sooner than was asked for.
    robot.scene.scene.clock.advance(by: 3301)
    robot.answerSource()
    let soon = Date(timeIntervalSince1970: robot.scene.scene.clock.now().wall + 60)
    robot.lend(until: soon.formatted(Date.ISO8601FormatStyle()))
    #expect(try await admin.listUsers().users == [])
    robot.scene.scene.clock.advance(by: 31)
    robot.lend()
    #expect(try await admin.listUsers().users == [])
    #expect(robot.scene.wire.count(":generateAccessToken") == 3 && robot.scene.wire.count("/user") == 2)
  }

  @Test func `tokens that are refused are replaced once, the account's and the user's`() async throws {
    let robot = try await Impersonator()
    robot.answerSource()
    robot.lend()
    let admin = try robot.admin()
    _ = try await admin.listUsers()
    robot.scene.wire.intercept { request in
      request.url.contains("batchGet") ? TransportResponse(status: 401, url: request.url) : nil
    }
    robot.answer(Self.lending, 401, "{}")
    robot.answerSource("another-token")
    robot.lend(to: "another-token")
    #expect(try await admin.listUsers().users == [])
    #expect(robot.scene.wire.count(":generateAccessToken") == 3 && robot.scene.wire.count("/user") == 2)
  }

  @Test(arguments: [
    (403, "{}", AuthError.Code.adminRestrictedOperation), (401, "{}", .adminRestrictedOperation),
    (404, "{}", .invalidArgument), (429, "{}", .tooManyRequests), (503, "{}", .networkError),
    (302, "", .responseInvalid), (200, "{}", .responseInvalid), (200, "<html>", .responseInvalid),
    (200, #"{"accessToken":""}"#, .responseInvalid), (200, #"{"accessToken":"a\r\nX: y"}"#, .responseInvalid),
  ])
  func `what IAM says otherwise is an error, and is not kept`(
    status: Int, body: String, code: AuthError.Code
  ) async throws {
    let robot = try await Impersonator()
    robot.answerSource()
    robot.answer(Self.lending, status, body)
    if status == 401 {
      robot.answerSource()
      robot.answer(Self.lending, status, body)
    }
    let admin = try robot.admin()
    await expectRefusal(code) { try await admin.listUsers() }
    robot.lend()
    #expect(try await admin.listUsers().users == [])
  }

  @Test func `a user who is refused gets no account's token`() async throws {
    let robot = try await Impersonator()
    robot.answer(Self.source, 400, #"{"error":"invalid_grant"}"#)
    await expectRefusal(.invalidCredential) { try await robot.admin().listUsers() }
    #expect(robot.scene.wire.count(":generateAccessToken") == 0)
  }

  @Test(.endsIfItHangs) func `a late answer ends with the call's deadline, and a cancelled caller leaves at once`()
    async throws
  {
    let robot = try await Impersonator()
    let gate = Gate()
    let held = HeldLending(gate: gate, wire: robot.scene.wire)
    let admin = try robot.admin(over: held)
    robot.answerSource()
    let late = Task { try await admin.listUsers(timeout: .seconds(7)) }
    await gate.reached()
    robot.scene.scene.clock.advance(by: 7)
    await expectRefusal(.deadlineExceeded) { try await late.value }
    let cancelled = Task { try await admin.listUsers() }
    cancelled.cancel()
    await expectRefusal(.cancelled) { try await cancelled.value }
    robot.lend()
    gate.open()
    #expect(try await admin.listUsers().users == [])
    #expect(robot.scene.wire.count(":generateAccessToken") == 1)
  }

  @Test func `the user's token signs custom tokens for the account`() async throws {
    let robot = try await Impersonator()
    let file = try await KeyFile(robot.scene.scene, name: "signer")
    robot.answerSource()
    robot.scene.wire.intercept { request in
      guard request.url == Self.account.replacing("@", with: "%40") + ":signJwt" else { return nil }
      #expect(request.headers["Authorization"] == "Bearer user-token")
      let body = try? JSONObject(parsing: request.body ?? [])
      #expect(body?["delegates"] == ["a@b", "c@d"])
      let claims = (try? JSONObject(parsing: (body?["payload"]?.string ?? "").utf8)) ?? [:]
      #expect(claims["iss"]?.string == "robot@local.iam.gserviceaccount.com")
      let token = (try? file.signer.sign(claims)) ?? ""
      return TransportResponse(status: 200, body: Array(#"{"signedJwt":"\#(token)"}"#.utf8), url: request.url)
    }
    #expect(try await robot.admin().createCustomToken(forUID: "ada").split(separator: ".").count == 3)
    #expect(robot.scene.wire.count(":generateAccessToken") == 0)
  }

  @Test(arguments: [
    (#""type": "impersonated_service_account""#, #""type": "external_account""#),
    (":generateAccessToken", ":generateIdToken"), ("https://iam", "http://iam"), ("robot@local", "robot"),
    ("authorized_user", "impersonated_service_account"), ("source_credentials", "credentials"),
    (#""refresh_token": "r","#, ""),
  ])
  func `a file that cannot be used is an error without its secrets`(part: String, other: String) async throws {
    let robot = try await Impersonator()
    let text = Impersonator.file.replacing(part, with: other).replacing(#""s""#, with: #""hush""#)
    #expect(text != Impersonator.file)
    let error = await expectRefusal(.invalidArgument) { try await robot.admin(text).listUsers() }
    #expect(error.map { !"\($0)".contains("hush") } == true)
  }

  @Test func `the project is that of the account's address, unless the file names another`() async throws {
    let robot = try await Impersonator()
    robot.answerSource()
    robot.lend()
    let other = Impersonator.file.replacing(#""delegates""#, with: #""quota_project_id": "other", "delegates""#)
    await #expect(throws: AuthError.self) { try await robot.admin(other).listUsers() }
    #expect(robot.scene.wire.count("/projects/other/accounts:batchGet") == 1)
  }
}

/// Holds up the answers of IAM.
private struct HeldLending: HTTPTransport {
  let gate: Gate
  let wire: Wire

  func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
    if request.url.hasSuffix(":generateAccessToken") { await gate.pass() }
    return try await wire.send(request)
  }
}
