import Foundation
import GatehouseAsyncHTTP
import GatehouseBase
import GatehouseCrypto
import GatehouseHTTP
import GatehouseQueues
import GatehouseServer
import GatehouseSystem
import GatehouseTesting
import Glibc
import HangGuard
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import TestSupport
import Testing

@Suite(.endsIfItHangs) struct SecureServerTests {
  /// A certificate with its key, in files of a folder of their own.
  private final class Pair: Sendable {
    let folder = FileManager.default.temporaryDirectory.path + "/gatehouse-tls-" + UUID().uuidString
    var files: TLSFiles { TLSFiles(certificate: folder + "/certificate", key: folder + "/key") }

    init() throws {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Writes a new pair; what is not to be written stays as it is.
    ///
    /// - Returns: the certificate.
    @discardableResult
    func renew(certificate isWritten: Bool = true, key keyIsWritten: Bool = true) throws -> X509Certificate {
      let key = try PrivateKey.generate(.ec(.p256))
      let certificate = try CertificateIssuer().certificate(of: key.publicKey)
      if isWritten { try certificate.pem.write(toFile: files.certificate, atomically: true, encoding: .utf8) }
      if keyIsWritten { try write(key: key.pem().revealed) }
      return certificate
    }

    /// Writes the file of the key, which is its owner's alone at once.
    func write(key: String) throws { try AtomicFile.write(Array(key.utf8), to: files.key) }
  }

  private func serving(
    _ pair: Pair, limits: HTTPLimits = HTTPLimits(), logger: Logger = Logger(label: "test"),
    _ work: (HTTPServer, Int) async throws -> Void
  ) async throws {
    let scene = ServerScene()
    let server = HTTPServer(scene.server, tls: pair.files, limits: limits, logger: logger)
    let address = try await server.start()
    guard case .host(_, let port) = address else { return }
    #expect(address.secureDescription == "https://127.0.0.1:\(port)")
    do { try await work(server, port) } catch {
      try await server.stop()
      throw error
    }
    try await server.stop()
  }

  /// The certificate that the server shows, as DER, and what it answers.
  private func exchange(
    _ port: Int, path: String = "/healthz", version: TLSVersion? = nil
  ) async throws -> (certificate: [UInt8], answer: String) {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateVerification = .noHostnameVerification
    configuration.maximumTLSVersion = version
    let context = try NIOSSLContext(configuration: configuration)
    let shown = Lock<[UInt8]>([])
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connect(
      host: "127.0.0.1", port: port
    ) { channel in
      channel.eventLoop.makeCompletedFuture {
        // The certificate is compared by the test.
        let handler = try NIOSSLClientHandler(
          context: context, serverHostname: nil,
          customVerificationCallback: { certificates, verified in
            let der = (try? certificates.first?.toDERBytes()) ?? []
            shown.withLock { $0 = der }
            verified.succeed(.certificateVerified)
          })
        try channel.pipeline.syncOperations.addHandler(handler)
        return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
      }
    }
    let heard = Lock("")
    do {
      try await channel.executeThenClose { incoming, outgoing in
        try await outgoing.write(
          ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: id.example.com\r\nConnection: close\r\n\r\n"))
        for try await part in incoming { heard.withLock { $0 += String(buffer: part) } }
      }
    } catch {
      // The server may have closed the connection first.
      guard heard.withLock({ $0.contains("}") }) else { throw error }
    }
    return (shown.withLock { $0 }, heard.withLock { $0 })
  }

  @Test func `a client refuses a certificate of an authority that this machine does not know`() async throws {
    let pair = try Pair()
    try pair.renew()
    try await serving(pair) { _, port in
      let error = await #expect(throws: AuthError.self) {
        try await AsyncHTTPTransport().send(TransportRequest(.get, "https://127.0.0.1:\(port)/healthz"))
      }
      #expect(error?.code == .networkError, "\(String(describing: error))")
      #expect(error?.message.contains("certificate") == true, "\(String(describing: error))")
    }
  }

  @Test func `requests come over TLS, and addresses in answers begin with https`() async throws {
    let pair = try Pair()
    let certificate = try pair.renew()
    try await serving(pair) { _, port in
      let found = try await exchange(port, path: "/.well-known/openid-configuration")
      #expect(found.certificate == certificate.der)
      #expect(found.answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(found.answer.contains(#""jwks_uri":"https://id.example.com/.well-known/jwks.json""#))
    }
  }

  @Test func `TLS before 1.2 and plain HTTP are refused`() async throws {
    let pair = try Pair()
    try pair.renew()
    try await serving(pair) { _, port in
      await #expect(throws: (any Error).self) { try await exchange(port, version: .tlsv11) }
      let plain = try await onThread {
        let connection = try Connection(to: .host("127.0.0.1", port: port))
        connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return connection.readToEnd()
      }
      #expect(plain?.contains("200") == false)
      #expect(try await exchange(port, version: .tlsv12).answer.contains(" 200 "))
    }
  }

  @Test func `a new certificate serves new connections, and a bad one leaves the old one in force`() async throws {
    let pair = try Pair(), lines = LogLines()
    let first = try pair.renew()
    try await serving(pair, logger: Logger(label: "test") { _ in lines }) { server, port in
      try await server.reloadCertificate()
      #expect(try await exchange(port).certificate == first.der)
      let second = try pair.renew()
      try await server.reloadCertificate()
      #expect(try await exchange(port).certificate == second.der)
      // A certificate whose key is still to come; and once more, unchanged.
      try pair.renew(key: false)
      for _ in 1...2 {
        let error = await #expect(throws: AuthError.self) { try await server.reloadCertificate() }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("is not the key of the first certificate") == true)
        #expect(try await exchange(port).certificate == second.der)
      }
      try FileManager.default.removeItem(atPath: pair.files.key)
      await #expect(throws: AuthError.self) { try await server.reloadCertificate() }
      let last = try pair.renew()
      try await server.reloadCertificate()
      #expect(try await exchange(port).certificate == last.der)
    }
    #expect(lines.all.count { $0.contains("was read anew") } == 2)
    #expect(!lines.all.contains { $0.contains("PRIVATE") })
  }

  @Test func `a key that other users can read or change is refused, also when it is read again`() async throws {
    let pair = try Pair(), lines = LogLines()
    let certificate = try pair.renew()
    func set(_ mode: Int) throws {
      try FileManager.default.setAttributes([.posixPermissions: NSNumber(value: mode)], ofItemAtPath: pair.files.key)
    }
    for mode in [0o644, 0o604, 0o660, 0o620, 0o602, 0o777] {
      try set(mode)
      let error = await #expect(throws: AuthError.self) {
        try await HTTPServer(ServerScene().server, tls: pair.files).start()
      }
      #expect(
        error?.code == .invalidArgument && error?.message.contains("run: chmod 6") == true, "\(mode): \(error as Any)")
    }
    // Root may grant its group access, as PostgreSQL has it.
    try set(0o640)
    let isRoots = geteuid() == 0
    let own = ServerCertificate(pair.files, logger: Logger(label: "test") { _ in lines })
    if isRoots { try await own.read() } else { await #expect(throws: AuthError.self) { try await own.read() } }
    try set(0o400)
    try await serving(pair, logger: Logger(label: "test") { _ in lines }) { server, port in
      try pair.renew()
      try set(0o644)
      await #expect(throws: AuthError.self) { try await server.reloadCertificate() }
      #expect(try await exchange(port).certificate == certificate.der, "the old one stays in use")
    }
  }

  @Test func `changed files are found without being told`() async throws {
    let pair = try Pair(), lines = LogLines()
    try pair.renew()
    let certificate = ServerCertificate(pair.files, logger: Logger(label: "test") { _ in lines })
    try await certificate.read()
    let old = certificate.context, clock = ManualClocks()
    let watch = Task { await certificate.watch(clock) }
    try pair.renew(certificate: false)
    while !lines.all.contains(where: { $0.contains("stays what it was") }) {
      clock.advance(by: .seconds(10))
      await Task.yield()
    }
    #expect(certificate.context === old)
    try pair.renew()
    while certificate.context === old {
      clock.advance(by: .seconds(10))
      await Task.yield()
    }
    watch.cancel()
    await watch.value
    #expect(lines.all.count { $0.contains("stays what it was") } == 1)
  }

  @Test func `files that cannot be used are told, and no server begins`() async throws {
    let pair = try Pair()
    let server = HTTPServer(ServerScene().server, tls: pair.files)
    let missing = await #expect(throws: AuthError.self) { try await server.start() }
    #expect(missing?.code == .invalidArgument && missing?.message.contains(pair.files.certificate) == true)
    try pair.write(key: "no key")
    try pair.renew(key: false)
    let bad = await #expect(throws: AuthError.self) { try await server.start() }
    #expect(bad?.message.contains("has no private key") == true)
    try pair.renew()
    _ = try await server.start()
    try await server.stop()
  }

  @Test func `a connection without a handshake is closed`() async throws {
    let pair = try Pair()
    try pair.renew()
    var limits = HTTPLimits()
    limits.idleTime = .milliseconds(50)
    try await serving(pair, limits: limits) { _, port in
      let received = try await onThread { try Connection(to: .host("127.0.0.1", port: port)).readToEnd() }
      #expect(received == "")
    }
  }

  @Test func `a connection above the limit is closed`() async throws {
    let pair = try Pair()
    try pair.renew()
    var limits = HTTPLimits()
    limits.connections = 1
    try await serving(pair, limits: limits) { _, port in
      let address = ServerAddress.host("127.0.0.1", port: port)
      let received = try await onThread {
        try withExtendedLifetime(Connection(to: address)) { try Connection(to: address).readToEnd() }
      }
      #expect(received == "")
    }
  }
}
