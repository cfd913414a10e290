public import GatehouseHTTP

/// The answer to a request: a value that is independent of web frameworks.
///
/// Its description contains the status and the length of the body, because bodies contain tokens.
public struct ServerResponse: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields. The framework adds those about the transmission, such as `Content-Length`.
  public var headers: TransportHeaders
  /// The body.
  public var body: [UInt8]

  /// Makes an answer.
  public init(status: Int, headers: TransportHeaders = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

extension ServerResponse: CustomStringConvertible, CustomReflectable {
  /// The status, and the length of the body.
  public var description: String { "\(status), \(body.count) bytes" }
  /// The members of `description`, and no others.
  public var customMirror: Mirror { Mirror(self, children: ["status": status, "bytes": body.count]) }
}
