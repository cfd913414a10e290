public import GatehouseHTTP

/// A request that came in over HTTP: a value, of no web framework.
///
/// Prints its method, and its path without the query: queries, headers and bodies hold keys, tokens and passwords.
public struct ServerRequest: Sendable {
  /// The method, as it was sent: `POST`.
  public var method: String
  /// The path as it was sent, percent-encoded and without the query: `/v1/accounts:signUp`.
  public var path: String
  /// What was sent behind the `?`; `nil` if there was none.
  public var query: String?
  /// The header fields.
  public var headers: TransportHeaders
  /// The whole body; empty if there was none.
  public var body: [UInt8]
  /// The client's network address, as text and without a port, where it is known: failed sign-ins are counted for it.
  public var peer: String?
  /// Whether it came over TLS to this server itself: addresses in answers begin with `https` then.
  public var isSecure = false

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - target: the path, with a query if there is one.
  ///   - headers: the header fields.
  ///   - body: the whole body.
  ///   - peer: the client's network address, where it is known.
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
  /// The same members, and no others.
  public var customMirror: Mirror { Mirror(self, children: ["method": method.printable(), "path": path.printable()]) }
}
