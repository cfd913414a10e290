/// A program that imports Gatehouse beside the packages whose names it could take.
enum Neighbors {
  /// Products of other packages.
  static let products = [
    #".product(name: "Crypto", package: "swift-crypto")"#, #".product(name: "HTTPTypes", package: "swift-http-types")"#,
    #".product(name: "Logging", package: "swift-log")"#,
  ]

  /// The packages: only the test's dependent names them, never this package.
  static let packages = [
    #".package(url: "https://github.com/apple/swift-crypto.git", "3.0.0"..<"5.0.0")"#,
    #".package(url: "https://github.com/apple/swift-http-types.git", from: "1.3.0")"#,
    #".package(url: "https://github.com/apple/swift-log.git", from: "1.6.0")"#,
  ]

  static let text = """
    import Crypto
    import Gatehouse
    import GatehouseJOSE
    import GatehouseTesting
    import HTTPTypes
    import Logging

    func name<H: HashFunction>(of hash: H.Type) -> String { "\\(hash)" }

    @main
    struct Program {
      static func main() async throws {
        let request = HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/")
        let response = HTTPResponse(status: .ok)
        let key = SymmetricKey(size: .bits256)
        let logger = Logger(label: "app")
        print("theirs:", request.path ?? "", response.status.code, key.bitCount, name(of: SHA256.self), logger.label)
        let signer = try TokenSigner(key: SecretKey([UInt8](repeating: 1, count: 32)))
        let token = try UnverifiedToken(try signer.sign(["sub": "ada"]))
        let auth = Auth(Auth.Configuration(backend: ScriptedBackend(), logger: logger))
        print("ours:", token.subject ?? "", try await auth.signInAnonymously().user.isAnonymous)
      }
    }
    """

  static let output = "theirs: / 200 256 SHA256 app\nours: ada true\n"
}
