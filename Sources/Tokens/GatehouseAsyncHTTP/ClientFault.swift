import AsyncHTTPClient
import GatehouseHTTP
import NIOCore
import NIOHTTP1
import NIOPosix

/// The reason why a connection failed, in words for people.
///
/// TLS errors are distinguished by their texts. The texts are compared, and never passed on: a library's text may
/// contain addresses, and addresses contain keys.
struct ClientFault {
  private let error: any Error

  init(_ error: any Error) { self.error = error }

  /// The fault of the connection to a server.
  func reason(_ server: HTTPOrigin?) -> String {
    let host = server?.host ?? "the server"
    return switch error {
    case let error as HTTPClientError: reason(host, error)
    case let error as NIOConnectionError:
      error.connectionErrors.isEmpty
        ? "there is no server \(host), or its name cannot be looked up" : isRefused(server)
    case HTTPParserError.invalidEOFState: isCutOff(host)
    case is HTTPParserError: "at that port of \(host) is a server, but not one for HTTP"
    case is ChannelError: "\(host) did not answer in time"
    case let error as IOError: wasRefused(error) ? isRefused(server) : isCutOff(host)
    default: reasonByWords(host)
    }
  }

  private func reason(_ host: String, _ error: HTTPClientError) -> String {
    switch error {
    case .remoteConnectionClosed, .uncleanShutdown: isCutOff(host)
    case .connectTimeout, .readTimeout, .getConnectionFromPoolTimeout: "\(host) did not answer in time"
    case .tlsHandshakeTimeout: hasNoTLS(host)
    case .proxyAuthenticationRequired: "the proxy of the environment (https_proxy) asks for a user name and a password"
    case .invalidProxyResponse, .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
      "the proxy of the environment (https_proxy) refuses the connection to \(host)"
    default: "the connection to \(host) failed"
    }
  }

  private func isRefused(_ server: HTTPOrigin?) -> String {
    guard let server else { return "the server takes no connection; is it running?" }
    let host = server.host.contains(":") ? "[\(server.host)]" : server.host
    return "\(host):\(server.port) takes no connection; is the server running, and is this its port?"
  }

  private func wasRefused(_ error: IOError) -> Bool { "\(error)".lowercased().contains("refused") }

  private func reasonByWords(_ host: String) -> String {
    let words = "\(error)".uppercased()
    if words.contains("CERTIFICATE_VERIFY_FAILED") {
      return
        "the certificate of \(host) is not from an authority that this machine trusts, or its time is over; to trust "
        + "an authority of your own, add it to this machine's (update-ca-certificates)"
    }
    if words.contains("HOSTNAME") || words.contains("HOST NAME") {
      return "the server that answers for \(host) has a certificate for other hosts only"
    }
    let isOfTLS = ["SSL", "TLS", "HANDSHAKE"].contains { words.contains($0) }
    return isOfTLS ? hasNoTLS(host) : "the connection to \(host) failed"
  }

  private func isCutOff(_ host: String) -> String { "\(host) closed the connection before its answer was complete" }

  private func hasNoTLS(_ host: String) -> String {
    "no secure connection to \(host) could be made (TLS); is that port one for https?"
  }
}
