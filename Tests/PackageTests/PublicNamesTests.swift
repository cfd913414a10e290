import Foundation
import Testing

/// Public names of ours beside those of the packages that servers import: no program must become ambiguous.
struct PublicNamesTests {
  /// Public top-level types of other packages, without prefixes that ours never have (`NIO…`, `JWT…`, `ASN1…`, `HB…`).
  static let ecosystem: [String: String] = [
    "swift-crypto": """
    AES ChaChaPoly CryptoKitError CryptoKitASN1Error CryptoError Curve25519 DiffieHellmanKeyAgreement Digest HKDF HMAC
    HPKE HashFunction HashedAuthenticationCode Insecure KDF KEM KEMPrivateKey KEMPublicKey MLDSA65 MLDSA87 MLKEM768
    MLKEM1024 MessageAuthenticationCode P256 P384 P521 SHA256 SHA256Digest SHA384 SHA384Digest SHA512 SHA512Digest
    SharedSecret SymmetricKey SymmetricKeySize
    """,
    "swift-http-types": "HTTPField HTTPFields HTTPRequest HTTPResponse",
    "swift-log": """
    LogEvent LogHandler Logger LoggingSystem MultiplexLogHandler InMemoryLogHandler FileLogHandler PrintLogHandler
    Sensitivity StreamLogHandler SwiftLogNoOpLogHandler
    """,
    "swift-nio": """
    AddressedEnvelope ByteBuffer ByteBufferAllocator ByteBufferView Channel ChannelError ChannelEvent ChannelHandler
    ChannelHandlerContext ChannelOption ChannelOptions ChannelPipeline CircularBuffer ClientBootstrap CloseMode
    ConditionLock DatagramBootstrap Endianness EventLoop EventLoopError EventLoopFuture EventLoopGroup EventLoopPromise
    FileDescriptor FileRegion HTTPHeaders HTTPMethod HTTPPart HTTPParserError HTTPRequestHead HTTPResponseHead
    HTTPResponseStatus HTTPVersion IOData IOError MarkedCircularBuffer MultiThreadedEventLoopGroup NonBlockingFileIO
    RepeatedTask Resolver Scheduled ServerBootstrap SocketAddress SocketOption System ThreadSpecificVariable TimeAmount
    """,
    "async-http-client": """
    FileDownloadDelegate HTTPClient HTTPClientError HTTPClientRequest HTTPClientResponse ResponseAccumulator
    """,
    // Without JWK, which is RFC 7517's name for the thing (decision 51).
    "jwt-kit": """
    AudienceClaim BoolClaim DigestAlgorithm ECDSA ECDSACurve ECDSAKey ECDSAParameters ECDSASignature EdDSA EdDSACurve
    EdDSAKey ExpirationClaim HMACKey IDClaim Insecure IssuedAtClaim IssuerClaim JWKIdentifier JWKS LocaleClaim
    NotBeforeClaim RSAKey SubjectClaim TenantIDClaim X5CVerifier
    """,
    "swift-certificates": """
    Certificate CertificateError CertificateSigningRequest CertificateStore DistinguishedName ExtendedKeyUsage
    GeneralName KeyUsage OCSPRequester RFC5280Policy SubjectAlternativeNames UnverifiedCertificateChain
    ValidatedCertificateChain Verifier VerifierPolicy VerificationResult
    """,
    "swift-service-lifecycle": "Service ServiceGroup ServiceGroupConfiguration ServiceGroupError UnixSignal",
    "swift-metrics": "Counter Gauge Meter MetricsFactory MetricsSystem Recorder TimeUnit Timer",
    "swift-system": "Errno FileDescriptor FilePath FilePermissions",
    "Foundation": """
    Bundle Calendar CharacterSet Data Date DateComponents DateInterval Decimal Formatter IndexPath IndexSet JSONDecoder
    JSONEncoder Locale Measurement Notification NotificationCenter Operation OperationQueue Pipe Port Process
    ProcessInfo Progress RunLoop Scanner Stream Thread TimeInterval TimeZone Timer URL URLCache URLComponents
    URLCredential URLProtocol URLRequest URLResponse URLSession UUID Unit UserDefaults Host HTTPCookie HTTPURLResponse
    """,
  ]

  static let names = Set(ecosystem.values.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) })

  /// The public top-level types of a source.
  static func types(in code: String) -> [String] {
    let line =
      /^(?:@\w+(?:\([^)]*\))?\s+)*public\s+(?:final\s+|indirect\s+)*(?:struct|class|enum|protocol|actor|typealias)\s+(\w+)/
    return code.matches(of: line.anchorsMatchLineEndings()).map { String($0.1) }
  }

  @Test func `no public type has a name of the ecosystem`() throws {
    let sources = try Repository.sources(in: "Sources")
    let types = sources.flatMap { Self.types(in: $0.code) }
    #expect(types.count > 100)
    #expect(types.filter(Self.names.contains) == [])
  }

  @Test(arguments: [
    "public struct HTTPRequest: Sendable {", "@safe public final class SymmetricKey {",
    "public protocol HashFunction {",
    "public typealias Certificate = Int",
  ])
  func `a name of the ecosystem is found`(line: String) {
    #expect(Self.types(in: "\n" + line + "\n").filter(Self.names.contains).count == 1)
    #expect(Self.types(in: "  " + line) == [])
  }

  /// Functions and variables of the C code that programs link. Static libraries have no private names: a program with a
  /// function of the same name could not be linked.
  @Test func `the names of C code begin with its prefix`() async throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Repository.products).filter {
      // The code that `gate queuecheck` preloads is never linked into a program.
      $0.hasPrefix("CGatehouse") && $0.hasSuffix(".build") && $0 != "CGatehouseQueuecheck.build"
    }
    let objects = folders.map { "\(Repository.products)/\($0)" }.flatMap { folder in
      (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [])
        .filter { $0.hasSuffix(".o") }.map { "\(folder)/\($0)" }
    }
    let symbols = try await ChildProcess(
      "llvm-nm", ["--extern-only", "--defined-only", "--format=just-symbols"] + objects
    )
    .run()
    let names = symbols.output.split(separator: "\n").filter { !$0.hasSuffix(":") }
    #expect(symbols.succeeded && names.contains("gw_self"), "\(symbols)")
    #expect(names.filter { !$0.hasPrefix("gw_") && !$0.hasPrefix("gatehouse_") } == [])
  }

  @Test func `a program imports the ecosystem beside Gatehouse, and no name is ambiguous`() async throws {
    // Stand-ins of the same names: building the packages themselves takes minutes.
    let modules = [
      "Crypto": "public struct SymmetricKey {}\npublic protocol HashFunction {}\npublic enum SHA256: HashFunction {}",
      "HTTPTypes": "public struct HTTPRequest {}\npublic struct HTTPResponse {}\npublic struct HTTPFields {}",
    ]
    let program = """
      import Crypto
      import Gatehouse
      import GatehouseJOSE
      import HTTPTypes
      import Logging
      func serve(_ request: HTTPRequest, _ key: SymmetricKey, _ logger: Logger) -> HTTPResponse? { nil }
      func digest<Function: HashFunction>(_ function: Function.Type) {}
      func check(_ key: SecretKey, _ hash: HashAlgorithm, _ auth: Auth) { digest(SHA256.self) }
      """
    try await TemporaryFolder.with { folder in
      for (name, text) in modules {
        try text.write(toFile: "\(folder)/\(name).swift", atomically: false, encoding: .utf8)
        let built = try await ChildProcess(
          "swiftc",
          [
            "-emit-module", "-parse-as-library", "-module-name", name, "\(folder)/\(name).swift", "-emit-module-path",
            "\(folder)/\(name).swiftmodule",
          ]
        ).run()
        #expect(built.succeeded, "\(built)")
      }
      let verdict = try await Compiler.check(program, isInPackage: false, modulesIn: folder)
      #expect(verdict.outcome.succeeded, "\(verdict.outcome)")
      // The check can fail: two modules with one name are ambiguous.
      let clash = program.replacing("import Crypto\n", with: "import Crypto\nimport Clash\n")
      try "public struct SymmetricKey {}".write(
        toFile: "\(folder)/Clash.swift", atomically: false, encoding: .utf8)
      _ = try await ChildProcess(
        "swiftc",
        [
          "-emit-module", "-parse-as-library", "-module-name", "Clash", "\(folder)/Clash.swift", "-emit-module-path",
          "\(folder)/Clash.swiftmodule",
        ]
      ).run()
      let ambiguous = try await Compiler.check(clash, isInPackage: false, modulesIn: folder)
      #expect(ambiguous.errors.contains { $0.message.contains("'SymmetricKey' is ambiguous") }, "\(ambiguous)")
    }
  }
}
