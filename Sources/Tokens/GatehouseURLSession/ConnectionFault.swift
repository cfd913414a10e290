import Foundation
import FoundationNetworking

/// The reason why a connection failed, in words for people.
///
/// Foundation has a single number (-1) for every TLS error and some others, and libcurl's message beside it. These
/// messages are compared, and never passed on: they contain addresses, and addresses contain keys.
package struct ConnectionFault: Sendable {
  private let code: Int?
  /// In lower case.
  private let words: String

  init(_ error: any Error) {
    self.init(code: (error as? URLError)?.code.rawValue, words: (error as NSError).localizedDescription)
  }

  /// - Parameters:
  ///   - code: Foundation's number, from `URLError.Code`.
  ///   - words: libcurl's message.
  package init(code: Int?, words: String) {
    self.code = code
    self.words = words.lowercased()
  }

  /// The fault of the connection to a host. The number is included only if there is no better description.
  package func reason(_ host: String) -> String {
    let fault: URLError.Code? = code.flatMap { URLError.Code(rawValue: $0) }
    return switch fault {
    case .cannotFindHost?, .dnsLookupFailed?: "there is no server \(host), or its name cannot be looked up"
    case .cannotConnectToHost?: "\(host) takes no connection at that port"
    case .notConnectedToInternet?: "this machine has no connection to \(host)"
    case .timedOut?: "\(host) did not answer in time"
    case .networkConnectionLost?: Self.isCutOff(host)
    case .badServerResponse? where words.hasPrefix("empty reply"):
      "\(host) closed the connection without an answer; is the URL's scheme (http, https) right for that port?"
    case .badServerResponse?, .cannotParseResponse?, .unsupportedURL?:
      "at that port of \(host) is a server, but not one for HTTP"
    case .secureConnectionFailed?: Self.hasNoTLS(host)
    case .serverCertificateHasBadDate?, .serverCertificateNotYetValid?: Self.isOutOfTime(host)
    case .serverCertificateUntrusted?, .serverCertificateHasUnknownRoot?: Self.isUntrusted(host)
    case let code?: unknownReason(host) ?? "the connection to \(host) failed (\(code.rawValue))"
    case nil: "the connection to \(host) failed"
    }
  }

  /// The reason according to libcurl's message.
  private func unknownReason(_ host: String) -> String? {
    if words.hasPrefix("transfer closed") { return Self.isCutOff(host) }
    if words.hasPrefix("connect tunnel failed") || words.contains("from proxy after connect") {
      return words.contains("407")
        ? "the proxy of the environment (https_proxy) asks for a user name and a password"
        : "the proxy of the environment (https_proxy) refuses the connection to \(host)"
    }
    if words.hasPrefix("ssl certificate problem") {
      let isOutOfTime = words.contains("has expired") || words.contains("not yet valid")
      return isOutOfTime ? Self.isOutOfTime(host) : Self.isUntrusted(host)
    }
    if words.hasPrefix("ssl: ") && words.contains("certificate subject name") {
      return "the server that answers for \(host) has a certificate for other hosts only"
    }
    if words.contains("verify locations") || words.contains("trust anchors") {
      return "the certificates of the authorities that this machine trusts cannot be read (ca-certificates)"
    }
    let isOfTLS = words.hasPrefix("openssl") || words.hasPrefix("ssl") || words.contains("ssl routines")
    return isOfTLS ? Self.hasNoTLS(host) : nil
  }

  private static func isCutOff(_ host: String) -> String {
    "\(host) closed the connection before its answer was complete"
  }

  private static func hasNoTLS(_ host: String) -> String {
    "no secure connection to \(host) could be made (TLS); is that port one for https?"
  }

  private static func isOutOfTime(_ host: String) -> String {
    "the certificate of \(host) has expired or is not valid yet; is this machine's clock right?"
  }

  private static func isUntrusted(_ host: String) -> String {
    "the certificate of \(host) is not from an authority that this machine trusts; to trust one of your own, add it to "
      + "this machine's authorities (update-ca-certificates)"
  }
}
