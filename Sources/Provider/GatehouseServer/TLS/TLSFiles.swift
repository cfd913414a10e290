/// The certificate and the key of a server that ends TLS itself, as PEM files.
///
/// They are read anew when they have changed, and by `HTTPServer.reloadCertificate()`: connections that are opened
/// from then on have the new ones. Files that do not fit together, or that cannot be read, change nothing: the server
/// goes on with the old ones and writes an error to its log.
///
/// SwiftNIO's BoringSSL protects the connections, and does nothing else here: tokens, passwords and keys stay with
/// OpenSSL.
public struct TLSFiles: Sendable, Hashable {
  /// The path of the certificate, followed in the same file by those that lead to its root.
  public var certificate: String
  /// The path of the certificate's private key, without a passphrase.
  public var key: String
  /// How often is looked whether the files have changed; at least a second.
  public var checkInterval: Duration = .seconds(10)

  /// - Parameters:
  ///   - certificate: the path of the certificate.
  ///   - key: the path of its private key.
  public init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}
