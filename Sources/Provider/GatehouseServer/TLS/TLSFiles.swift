/// The certificate and the key of a server that ends TLS itself, as PEM files.
///
/// They are reread when they have changed, and by `HTTPServer.reloadCertificate()`. New connections then use the new
/// files. Files that do not match, or that cannot be read, change nothing: the server continues with the old ones and
/// logs an error.
///
/// SwiftNIO's BoringSSL is only used for the connections; tokens, passwords and keys are processed by OpenSSL.
public struct TLSFiles: Sendable, Hashable {
  /// The path of the certificate, followed in the same file by the chain to its root.
  public var certificate: String
  /// The path of the certificate's private key, without a passphrase. A key that other users can read is refused: this
  /// program's user owns it and no other may read it (0600), or root owns it and at most its group may (0640).
  public var key: String
  /// The interval at which the files are checked for changes; at least a second.
  public var checkInterval: Duration = .seconds(10)

  /// - Parameters:
  ///   - certificate: the path of the certificate.
  ///   - key: the path of its private key.
  public init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}
