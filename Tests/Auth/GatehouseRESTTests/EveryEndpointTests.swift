import Foundation
import GatehouseBase
import GatehouseTesting
import IdentityToolkit
import Testing

@testable import GatehouseREST

/// No call chooses the host that its tokens are sent to.
struct EveryEndpointTests {
  @Test(arguments: [
    RESTServer.google, RESTServer(url: "http://127.0.0.1:9099"),
    RESTServer(identityToolkit: "https://auth.example.org/toolkit", secureToken: "https://sts.example.org"),
  ])
  func `every call goes to the server that was configured`(server: RESTServer) throws {
    let endpoints = EveryCall.types.map { $0.endpoint }
    #expect(endpoints.count > 30 && endpoints.contains(MakeRecoveryCodes.endpoint))
    for endpoint in endpoints {
      let url = try #require(server.url(of: endpoint), "\(endpoint) is of neither service")
      #expect(
        [server.identityToolkit, server.secureToken].contains { url.hasPrefix($0 + "/v") || url.hasPrefix($0 + "/g") },
        "\(url)")
    }
  }

  @Test(arguments: [
    "gatehouse/v1/accounts:lookup", "//gatehouse/v1/accounts:lookup", "evil.example/v1/token", "",
    "identitytoolkit.googleapis.com", "identitytoolkit.googleapis.com.evil.example/v1/token",
    "identitytoolkit.googleapis.com@evil.example/v1/token", "securetoken.googleapis.com:1/v1/token",
  ])
  func `what names another host has no address`(endpoint: String) {
    #expect(RESTServer.google.url(of: endpoint) == nil)
    #expect(RESTServer(url: "http://127.0.0.1:9099").url(of: endpoint) == nil)
  }

  private struct ForeignCall: Call {
    static let endpoint = "evil.example/v1/token"
    struct Response: Codable, Sendable {}
    let idToken: Secret
  }

  @Test func `a call of another host is refused, and nothing is sent`() async {
    let transport = RecordingTransport()
    let backend = RESTBackend(apiKey: "k", options: RESTOptions(server: .google), transport: transport)
    let error = await #expect(throws: AuthError.self) { try await backend.answer(ForeignCall(idToken: Secret("t"))) }
    #expect(error?.code == .operationNotAllowed && transport.requests.isEmpty)
  }
}
