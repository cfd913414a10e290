import Foundation
import GatehouseAdmin
import GatehouseBase
import GatehouseHTTP
import GatehouseLocal
import GatehouseTesting
import Testing

/// The access tokens of a service account, for an agent.
struct ServiceAccountSourceTests {
  @Test(arguments: TokenSourceContract.all)
  func `it keeps the contract of a source`(_ check: TokenSourceContract.Check) async throws {
    try await check.run {
      let scene = try await AdminScene()
      let (source, key) = try await Self.source(of: scene)
      return TokenSourceContract.Stage(source, clocks: scene.scene.clock, secrets: [key]) { condition in
        switch condition {
        case .issues: break
        case .hasEnded: _ = try await scene.scene.provider.deleteServiceAccount("lender")
        case .isAway: scene.wire.intercept { TransportResponse(status: 503, url: $0.url) }
        }
      }
    }
  }

  @Test func `a token lives as long as the endpoint says, and an account that is gone says where a key is missing`()
    async throws
  {
    let scene = try await AdminScene()
    let (source, _) = try await Self.source(of: scene)
    #expect(try await source.fetch().lifetime == .seconds(3600))
    _ = try await scene.scene.provider.deleteServiceAccount("lender")
    let error = await expectRefusal(.invalidUserToken) { try await source.fetch() }
    #expect(error?.message.contains("put a new key into") == true)
  }

  @Test func `a file that is none of a service account is a failure that may pass`() async {
    await expectRefusal(.invalidArgument) { try await ServiceAccountSource(file: "/nowhere/key.json").fetch() }
  }

  /// A source whose account has a file of its own, and its private key.
  private static func source(of scene: AdminScene) async throws -> (ServiceAccountSource, String) {
    let file = try await KeyFile(scene.scene, name: "lender", tokenURL: "http://localhost/token")
    let path = NSTemporaryDirectory() + "gatehouse-\(UUID().uuidString).json"
    try Data(file.text.revealed.utf8).write(to: URL(filePath: path))
    let key = try #require(file.json["private_key"]?.string)
    return (ServiceAccountSource(file: path, transport: scene.wire, clocks: scene.scene.clock), key)
  }
}
