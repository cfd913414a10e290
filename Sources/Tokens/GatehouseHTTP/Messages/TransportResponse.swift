import GatehouseBase

/// An HTTP response, as a value. Prints only its status and its size.
public struct TransportResponse: Sendable, Hashable {
  /// The status code.
  public let status: Int
  /// The header fields, in the order of the transport.
  public let headers: TransportHeaders
  /// The body; empty if there is none.
  public let body: [UInt8]
  /// The URL of the response: the request's, or that of the last redirect.
  public let url: String

  /// Makes a response.
  public init(status: Int, headers: TransportHeaders = [:], body: [UInt8] = [], url: String) {
    self.status = status
    self.headers = headers
    self.body = body
    self.url = url
  }

  /// Whether the server redirects the request.
  public var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }

  /// The media type without its parameters, in lower case, such as `application/json`.
  public var mediaType: String? {
    guard let value = headers["Content-Type"] else { return nil }
    let type = value.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != 0x20 && $0 != 0x09 }
    return String(decoding: type.map(\.lowercased), as: UTF8.self)
  }
}

extension TransportResponse: CustomStringConvertible, CustomReflectable {
  /// The status and the size of the body.
  public var description: String { "status \(status), \(counted(body.count, "byte"))" }
  /// Empty.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
