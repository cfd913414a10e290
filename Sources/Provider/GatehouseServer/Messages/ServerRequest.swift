public import GatehouseHTTP
package import GatehouseSystem

/// A request received over HTTP: a value that is independent of web frameworks.
///
/// Its description contains the method, and the path without the query, because queries, headers and bodies contain
/// keys, tokens and passwords.
public struct ServerRequest: Sendable {
  /// The method, as it was sent: `POST`.
  public var method: String
  /// The path as it was sent, percent-encoded and without the query: `/v1/accounts:signUp`.
  public var path: String
  /// The query after the `?`; `nil` if there was none.
  public var query: String?
  /// The header fields.
  public var headers: TransportHeaders
  /// The whole body; empty if there was none.
  public var body: [UInt8]
  /// The client's network address, as text and without a port, if it is known. Failed sign-ins are counted for it.
  public var peer: String?
  /// The program at the other end of a Unix socket, as it was when it connected; `nil` for a request over the network.
  package var process: PeerProcess?
  /// Whether `peer` is of many clients: a trusted proxy that has not named its client.
  package var isShared = false
  /// Whether the request was received over TLS by this server itself. If so, URLs in answers begin with `https`.
  public var isSecure = false

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - target: the path, with a query if there is one.
  ///   - headers: the header fields.
  ///   - body: the whole body.
  ///   - peer: the client's network address, if it is known.
  public init(
    _ method: String, _ target: String, headers: TransportHeaders = [:], body: [UInt8] = [], peer: String? = nil
  ) {
    let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    self.method = method
    path = String(decoding: parts[0], as: UTF8.self)
    query = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : nil
    self.headers = headers
    self.body = body
    self.peer = peer
  }
}

extension ServerRequest: CustomStringConvertible, CustomReflectable {
  /// The method and the path.
  public var description: String { "\(method.printable()) \(path.printable())" }
  /// The members of `description`, and no others.
  public var customMirror: Mirror { Mirror(self, children: ["method": method.printable(), "path": path.printable()]) }
}
