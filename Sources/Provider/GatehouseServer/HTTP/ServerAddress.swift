/// The address at which an HTTP server listens.
public enum ServerAddress: Sendable, Hashable {
  /// A host name or address, and a port; 0 for any free port.
  case host(String, port: Int)
  /// A Unix socket, by its path.
  case unix(path: String)
}

extension ServerAddress {
  /// The address for clients of a server that ends TLS: `https://id.example.com:443`, or `unix:PATH`.
  public var secureDescription: String {
    guard case .host = self else { return description }
    return "https" + description.dropFirst("http".count)
  }
}

extension ServerAddress: CustomStringConvertible {
  /// `http://127.0.0.1:9099`, or `unix:PATH`.
  public var description: String {
    switch self {
    case .host(let host, let port): host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }
}
