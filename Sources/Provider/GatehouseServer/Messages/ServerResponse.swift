public import GatehouseHTTP

/// The answer to a request: a value, of no web framework.
///
/// Prints its status and how long its body is: bodies hold tokens.
public struct ServerResponse: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields. The framework adds those that say how the message is sent, such as `Content-Length`.
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
  /// The status, and how long the body is.
  public var description: String { "\(status), \(body.count) bytes" }
  /// The same members, and no others.
  public var customMirror: Mirror { Mirror(self, children: ["status": status, "bytes": body.count]) }
}
