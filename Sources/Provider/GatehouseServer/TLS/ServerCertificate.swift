package import GatehouseBase
import GatehouseCrypto
import GatehouseQueues
import GatehouseSystem
package import Logging
package import NIOSSL

/// The certificate for new connections, and the files that it is read from.
package final class ServerCertificate: Sendable {
  private struct State {
    var context: NIOSSLContext?
    /// The digest of the files that were read last, and the error if they were refused.
    var digest: [UInt8] = []
    var refusal: AuthError?
  }

  let files: TLSFiles
  private let logger: Logger
  private let state = Lock(State())
  private let share = PoolShare(width: 1)

  /// The maximum length of each file, in bytes.
  private static let mostBytes = 1 << 20

  package init(_ files: TLSFiles, logger: Logger) {
    self.files = files
    self.logger = logger
  }

  /// The TLS context of the next connection; `nil` before the files were read.
  package var context: NIOSSLContext? { state.withLock { $0.context } }

  /// Reads the files, if they have changed.
  ///
  /// - Throws: The reason why they cannot be used. The certificate is not changed then.
  package func read() async throws(AuthError) {
    try await Background.run(on: share) { [self] () throws(AuthError) in
      let certificate = try bytes(of: files.certificate), key = try bytes(of: files.key, isSecret: true)
      let digest = try typed { try HashAlgorithm.sha256.hash(certificate + [0] + key) }
      let (isKnown, refusal) = state.withLock { ($0.digest == digest, $0.refusal) }
      if isKnown, let refusal { throw refusal }
      guard !isKnown else { return }
      let context: NIOSSLContext
      do throws(AuthError) { context = try Self.context(certificate, key, files) } catch {
        state.withLock { ($0.digest, $0.refusal) = (digest, error) }
        throw error
      }
      let old = state.withLock { state in
        defer { state = State(context: context, digest: digest) }
        return state.context
      }
      if old != nil { logger.notice("the certificate was read anew from \(files.certificate)") }
    }
  }

  /// Checks for changes until the server is stopped.
  package func watch(_ clocks: any Clocks) async {
    var reported: String?
    while !Task.isCancelled {
      await clocks.sleep(until: Alarm(boot: clocks.now().boot + max(files.checkInterval.inSeconds, 1)))
      guard !Task.isCancelled else { return }
      do throws(AuthError) {
        try await read()
        reported = nil
      } catch {
        if reported != error.message { logger.error("the certificate stays what it was: \(error)") }
        reported = error.message
      }
    }
  }

  private func bytes(of path: String, isSecret: Bool = false) throws(AuthError) -> [UInt8] {
    SlowWork.begins(.file)
    let bytes: [UInt8]?
    do throws(SystemError) {
      let file = try OpenFile(path)
      if isSecret { try file.status().requirePrivateKey(at: path) }
      bytes = try file.readAll(limit: Self.mostBytes)
    } catch {
      guard !error.isUnsafe else { throw AuthError(.invalidArgument, "the private key \(error)") }
      throw AuthError(.invalidArgument, "\(path) cannot be read: it must be a PEM file (\(error))")
    }
    guard let bytes else { throw AuthError(.invalidArgument, "\(path) is longer than \(Self.mostBytes) bytes") }
    return bytes
  }

  private static func context(
    _ certificate: [UInt8], _ key: [UInt8], _ files: TLSFiles
  ) throws(AuthError) -> NIOSSLContext {
    let chain: [NIOSSLCertificate], privateKey: NIOSSLPrivateKey
    do { chain = try NIOSSLCertificate.fromPEMBytes(certificate) } catch {
      throw AuthError(.invalidArgument, "\(files.certificate) has no certificate in PEM form")
    }
    do { privateKey = try NIOSSLPrivateKey(bytes: key, format: .pem) } catch {
      throw AuthError(.invalidArgument, "\(files.key) has no private key in PEM form, or one with a passphrase")
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    do { return try NIOSSLContext(configuration: configuration) } catch {
      throw AuthError(
        .invalidArgument, "\(files.key) is not the key of the first certificate in \(files.certificate)")
    }
  }
}
