import GatehouseBase

/// An HTTP request, as a value.
///
/// Prints only its method and the server's name: URLs, headers and bodies contain keys, tokens and passwords.
public struct TransportRequest: Sendable, Hashable {
  /// The method.
  public enum Method: String, Sendable, Hashable, CaseIterable {
    /// GET.
    case get = "GET"
    /// POST.
    case post = "POST"
    /// PUT.
    case put = "PUT"
    /// PATCH.
    case patch = "PATCH"
    /// DELETE.
    case delete = "DELETE"
  }

  /// The method.
  public var method: Method
  /// The whole URL, with its query: `http` or `https`, at most 8 KiB of printable ASCII, without a user name or
  /// fragment.
  public var url: String
  /// The header fields to send, besides those that the transport adds.
  public var headers: TransportHeaders
  /// The body; `nil` for none, which differs from an empty one.
  public var body: [UInt8]?
  /// The maximum time until the whole response has arrived.
  public var timeout: Duration
  /// The maximum length of the response's body, in bytes.
  public var maximumResponseLength: Int
  /// Whether a `get` follows redirects: at most `maximumRedirects` times, and only to the same scheme, host and port.
  public var followsRedirects = false

  /// The maximum number of redirects of a request.
  public static let maximumRedirects = 5

  /// Makes a request. The default timeout is 30 seconds, the default maximum of the response body 1 MiB.
  public init(
    _ method: Method, _ url: String, headers: TransportHeaders = [:], body: [UInt8]? = nil,
    timeout: Duration = .seconds(30),
    maximumResponseLength: Int = 1 << 20
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.maximumResponseLength = maximumResponseLength
  }

  /// Makes a `POST` of JSON that accepts JSON.
  public static func post(_ url: String, json: [UInt8], timeout: Duration = .seconds(30)) -> TransportRequest {
    TransportRequest(
      .post, url, headers: ["Content-Type": "application/json", "Accept": "application/json"], body: json,
      timeout: timeout)
  }

  /// Performs the checks that every transport must make before it sends.
  ///
  /// Throws `insecureConnection` for plain HTTP to another machine, unless that is allowed, and `invalidArgument` for
  /// an invalid URL, for a header field that cannot be sent as it is, for a body with `get`, and for a limit or timeout
  /// that is not positive.
  public func check(allowsPlainHTTP: Bool = false) throws {
    let origin = try HTTPOrigin(of: url)
    guard origin.isSecure || origin.isLoopback || allowsPlainHTTP else {
      throw AuthError(.insecureConnection, "plain HTTP to \(origin.host) is refused: use https")
    }
    guard headers.fields.allSatisfy(\.isWellFormed) else {
      throw AuthError(.invalidArgument, "invalid header field name or value")
    }
    guard method != .get || body == nil else { throw AuthError(.invalidArgument, "a GET request must not have a body") }
    guard timeout > .zero, maximumResponseLength > 0 else {
      throw AuthError(.invalidArgument, "the timeout and the maximum response length must be positive")
    }
  }

  /// Checks whether a redirect may be followed, for the `count`th time. Every transport must call it first.
  public func checkRedirect(to url: String, count: Int) throws {
    guard method == .get, count <= Self.maximumRedirects else {
      throw AuthError(.redirectRefused, "too many redirects, or a redirect of a request that is not GET")
    }
    guard try HTTPOrigin(of: url) == HTTPOrigin(of: self.url) else {
      throw AuthError(.redirectRefused, "redirect to another origin refused")
    }
  }
}

extension TransportRequest: CustomStringConvertible, CustomReflectable {
  /// The method and the host; never the path, the headers or the body.
  public var description: String { "\(method.rawValue) \((try? HTTPOrigin(of: url).host) ?? "an invalid URL")" }
  /// Empty.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
