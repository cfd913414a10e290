import Foundation
import FoundationNetworking
public import GatehouseBase
public import GatehouseHTTP
import GatehouseQueues

/// The transport over Foundation's `URLSession`, which on Linux is libcurl: for trusted servers, in programs that must
/// not build SwiftNIO.
///
/// **A server can end the process.** Foundation on Linux stops it if a connection closes within the head of a response,
/// and that cannot be prevented here. `AsyncHTTPTransport` does not have this fault.
///
/// It keeps the contract of `HTTPTransport`: no cookies, no cache, no stored credentials. Responses are measured while
/// they arrive, and dropped when they grow too long. TLS is verified against the machine's certificates; to trust an
/// authority of your own, add it there (`Docs/tokens.md`). Proxies are taken from the environment, as in curl. A
/// response that asks for credentials (401) is a response like others. Keep it and share it: it keeps connections open.
///
/// The host must be a name or an IPv4 address. Foundation on Linux cannot connect to an IPv6 address in a URL: it
/// compares the host with libcurl's, which has brackets, and fails. Such a request throws `invalidArgument`. A name
/// that resolves to an IPv6 address works.
///
/// Compressed responses are rejected, but Foundation decompresses what arrives before the rejection: see
/// `Docs/SECURITY.md` for servers that are not trusted.
///
/// A caller's thread never waits for the session. Requests of one transport share libcurl's single queue: a server that
/// sends faster than this machine can read delays the others, until their deadlines.
public final class URLSessionTransport: HTTPTransport {
  private let owned: OwnedSession
  private let exchanges = Exchanges()
  private let background = BackgroundQueue(label: "gatehouse.http", width: 4)
  private let clocks: any Clocks
  private let allowsPlainHTTP: Bool

  /// - Parameters:
  ///   - clocks: the clocks that measure timeouts.
  ///   - allowsPlainHTTP: whether requests may go to other machines by plain HTTP, which others can read on the way.
  public init(clocks: any Clocks = SystemClocks(), allowsPlainHTTP: Bool = false) {
    self.clocks = clocks
    self.allowsPlainHTTP = allowsPlainHTTP
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCredentialStorage = nil
    owned = OwnedSession(URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil))
  }

  /// Sends a request; see `HTTPTransport.send(_:)` for what it guarantees and throws.
  public func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
    try request.check(allowsPlainHTTP: allowsPlainHTTP)
    let urlRequest = try Self.urlRequest(for: request)
    let exchange = Exchange(request, on: background)
    let seconds = request.timeout / .seconds(1)
    let alarm = Task.detached { [clocks] in
      await clocks.sleep(until: Alarm(boot: clocks.now().boot + seconds))
      guard !Task.isCancelled else { return }
      exchange.end(.failure(.deadlineExceeded("the request", after: seconds)))
    }
    let outcome = await withTaskCancellationHandler {
      await exchange.outcome { [owned, exchanges] in
        let task = owned.session.dataTask(with: urlRequest)
        exchanges.add(exchange, for: task)
        if !exchange.attach(task) { exchanges.remove(task) }
      }
    } onCancel: {
      exchange.end(.failure(.cancelled))
    }
    alarm.cancel()
    return try outcome.get()
  }

  private static func urlRequest(for request: TransportRequest) throws(AuthError) -> URLRequest {
    let host = try HTTPOrigin(of: request.url).host
    // Only an IPv6 address has colons.
    guard !host.contains(":") else {
      let name = host == "::1" ? "localhost" : "the server's name"
      throw AuthError(
        .invalidArgument, "this transport cannot connect to the IPv6 address [\(host)] in a URL: use \(name) instead")
    }
    // Foundation accepts schemes only in lower case.
    let scheme = request.url.prefix { $0 != ":" }
    guard let url = URL(string: scheme.lowercased() + request.url.dropFirst(scheme.count)) else {
      throw AuthError(.invalidArgument, "invalid URL")
    }
    var urlRequest = URLRequest(url: url)
    urlRequest.httpMethod = request.method.rawValue
    urlRequest.httpShouldHandleCookies = false
    // The alarm above is the deadline, and this timeout must not come before it. Foundation counts milliseconds in an
    // `Int`, and stops the process if they do not fit; after a year, the earlier of the two no longer matters.
    urlRequest.timeoutInterval = min(request.timeout / .seconds(1) + 60, 365 * 86_400)
    for field in request.headers.fields { urlRequest.addValue(field.value, forHTTPHeaderField: field.name) }
    // Foundation decompresses responses before they can be counted: 400 KB can become gigabytes.
    urlRequest.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    if let body = request.body { urlRequest.httpBody = Data(body) }
    return urlRequest
  }
}

/// Keeps the session until neither the transport nor a request that has yet to begin needs it. The process stops if an
/// ended session is asked for a task, and a cancelled caller may release the transport before that.
private final class OwnedSession: Sendable {
  let session: URLSession

  init(_ session: URLSession) { self.session = session }

  deinit { session.finishTasksAndInvalidate() }
}
