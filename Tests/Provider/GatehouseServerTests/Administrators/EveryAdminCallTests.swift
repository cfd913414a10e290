import Foundation
import GatehouseAdmin
import GatehouseBase
import GatehouseHTTP
import GatehouseLocal
import GatehouseQueues
import GatehouseTesting
import HangGuard
import Testing

/// Each call of an administrator ends, on every path: the server refuses it, answers nonsense, or is late; the caller
/// is cancelled; the credential cannot be read. Both forms end alike.
struct EveryAdminCallTests {
  /// A call of an administrator, in both forms.
  struct AdminCall: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let run: @Sendable (AdminAuth, Duration?) async throws -> Void
    let complete: @Sendable (AdminAuth, Duration?, @escaping @Sendable (Result<Void, AuthError>) -> Void) -> Void
  }

  private static let policy: UpdateProjectConfigRequest = {
    var request = UpdateProjectConfigRequest()
    request.emailPrivacyConfig = EmailPrivacyConfig(enableImprovedEmailPrivacy: true)
    return request
  }()

  static let calls: [AdminCall] = [
    AdminCall(testDescription: "getProjectConfig") { admin, timeout in
      _ = try await admin.projectConfigManager.getProjectConfig(timeout: timeout)
    } complete: { admin, timeout, end in
      admin.projectConfigManager.getProjectConfig(timeout: timeout) { end($0.map { _ in }) }
    },
    AdminCall(testDescription: "updateProjectConfig") { admin, timeout in
      _ = try await admin.projectConfigManager.updateProjectConfig(policy, timeout: timeout)
    } complete: { admin, timeout, end in
      admin.projectConfigManager.updateProjectConfig(policy, timeout: timeout) { end($0.map { _ in }) }
    },
    AdminCall(testDescription: "getUser") { admin, timeout in
      _ = try await admin.getUser(byUID: "ada", timeout: timeout)
    } complete: { admin, timeout, end in
      admin.getUser(byUID: "ada", timeout: timeout) { end($0.map { _ in }) }
    },
    AdminCall(testDescription: "listUsers") { admin, timeout in
      _ = try await admin.listUsers(timeout: timeout)
    } complete: { admin, timeout, end in
      admin.listUsers(timeout: timeout) { end($0.map { _ in }) }
    },
  ]

  /// A fault of the server's, which has an error of the call.
  enum Fault: CaseIterable, Sendable {
    case refused, nonsense, brokenTokens, noToken

    var code: AuthError.Code {
      switch self {
      case .refused: .adminRestrictedOperation
      case .brokenTokens: .networkError
      case .nonsense: .responseInvalid
      case .noToken: .invalidCredential
      }
    }
  }

  /// A server with a fault. Its token endpoint is good, unless that is the fault.
  private struct FaultyServer: HTTPTransport {
    let fault: Fault?
    let gate: Gate?

    func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
      func answer(_ status: Int, _ body: String) -> TransportResponse {
        TransportResponse(status: status, body: Array(body.utf8), url: request.url)
      }
      if request.url.hasSuffix("/user") {
        if fault == .noToken { return answer(400, #"{"error":"invalid_grant"}"#) }
        if fault == .brokenTokens { throw AuthError(.networkError, "the connection is gone") }
        return answer(200, #"{"access_token":"t","expires_in":3599}"#)
      }
      if request.url.hasSuffix(":generateAccessToken") { return answer(200, #"{"accessToken":"t2"}"#) }
      await gate?.pass()
      switch fault {
      case .refused: return answer(403, #"{"error":{"code":403,"message":"INSUFFICIENT_PERMISSION"}}"#)
      default: return answer(200, "<html>")
      }
    }
  }

  /// A user of gcloud, or a service account that they act for.
  enum Credential: String, CaseIterable, Sendable {
    case user = #"""
      {"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r",
       "token_uri": "http://localhost/user"}
      """#
    case impersonated = #"""
      {"type": "impersonated_service_account",
       "service_account_impersonation_url":
         "https://iam/v1/serviceAccounts/a@p.iam.gserviceaccount.com:generateAccessToken",
       "source_credentials": {"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r",
         "token_uri": "http://localhost/user"}}
      """#
  }

  private let folder = CredentialFolder()
  private let clocks = ManualClocks()

  private func admin(_ credential: Credential, _ fault: Fault? = nil, _ gate: Gate? = nil) throws -> AdminAuth {
    let path = folder.path + "/\(credential == .user ? "user" : "impersonated").json"
    try Data(credential.rawValue.utf8).write(to: URL(filePath: path))
    var options = AdminOptions()
    (options.clocks, options.projectID, options.server) = (clocks, "local", RESTServer(url: "http://localhost"))
    return AdminAuth(
      credential: .file(path), options: options, transport: FaultyServer(fault: fault, gate: gate),
      callbackQueue: DispatchQueue(label: "test.callbacks"))
  }

  @Test(arguments: Credential.allCases, Fault.allCases)
  func `a fault is the call's error, in both forms`(credential: Credential, fault: Fault) async throws {
    for call in Self.calls {
      let admin = try admin(credential, fault)
      let error = await #expect(throws: AuthError.self) { try await call.run(admin, nil) }
      #expect(error?.code == fault.code, "\(call.testDescription): \(error.map { "\($0)" } ?? "")")
      let result = await withCheckedContinuation { done in call.complete(admin, nil) { done.resume(returning: $0) } }
      let other = #expect(throws: AuthError.self) { try result.get() }
      #expect(other?.code == fault.code, "\(call.testDescription)")
    }
  }

  @Test(.endsIfItHangs, arguments: Credential.allCases)
  func `a late answer ends with the deadline, in both forms`(credential: Credential) async throws {
    for call in Self.calls {
      let gate = Gate()
      let admin = try admin(credential, .refused, gate)
      let late = Task { try await call.run(admin, .seconds(7)) }
      await gate.reached()
      await clocks.waitForSleeper(of: .seconds(7))
      clocks.advance(by: .seconds(7))
      let error = await #expect(throws: AuthError.self) { try await late.value }
      #expect(error?.code == .deadlineExceeded, "\(call.testDescription)")
      let other = Gate()
      let second = try self.admin(credential, .refused, other)
      async let ended = withCheckedContinuation { done in
        call.complete(second, .seconds(7)) { done.resume(returning: $0) }
      }
      await other.reached()
      await clocks.waitForSleeper(of: .seconds(7))
      clocks.advance(by: .seconds(7))
      let result = await ended
      let refusal = #expect(throws: AuthError.self) { try result.get() }
      #expect(refusal?.code == .deadlineExceeded, "\(call.testDescription)")
      other.open()
      gate.open()
    }
  }

  @Test(.endsIfItHangs, arguments: Credential.allCases)
  func `a cancelled caller leaves at once`(credential: Credential) async throws {
    for call in Self.calls {
      let gate = Gate()
      let admin = try admin(credential, .refused, gate)
      let waiting = Task { try await call.run(admin, nil) }
      await gate.reached()
      waiting.cancel()
      let error = await #expect(throws: AuthError.self) { try await waiting.value }
      #expect(error?.code == .cancelled, "\(call.testDescription)")
      gate.open()
    }
  }
}
