import GatehouseBase
import GatehouseHTTP
import GatehouseLocal

/// The proxies in front of the server, whose entries in the header field `X-Forwarded-For` are trusted.
///
/// Every proxy appends the address of its client to the field. Earlier entries may be forged by the client. With
/// `none`, the default, the field is ignored.
public struct TrustedProxies: Sendable, Hashable {
  private enum Rule: Sendable, Hashable {
    case count(Int)
    case networks([AddressRange])
  }

  private let rule: Rule

  /// No proxy: the client's address is the connection's.
  public static let none = TrustedProxies(rule: .count(0))

  /// Every connection comes through this many proxies. Clients must not be able to reach the server directly: a client
  /// that bypasses the proxies could name any address.
  ///
  /// - Parameter count: the number of proxies; a negative number counts as zero.
  public static func count(_ count: Int) -> TrustedProxies { TrustedProxies(rule: .count(max(count, 0))) }

  /// Proxies have addresses in these networks; a connection over a Unix socket is also a proxy's. Any other connection
  /// is a client's own, and its header field is not trusted.
  ///
  /// - Parameter networks: `10.0.0.0/8`, `2001:db8::/32`, or single addresses.
  /// - Throws: `invalidArgument` for text that is not a network.
  public static func networks(_ networks: [String]) throws -> TrustedProxies {
    var ranges: [AddressRange] = []
    for text in networks {
      guard let range = AddressRange(text) else {
        throw AuthError(
          .invalidArgument, "\(text.printable()) is not a network: write one as 10.0.0.0/8, or an address")
      }
      ranges.append(range)
    }
    return TrustedProxies(rule: .networks(ranges))
  }

  private init(rule: Rule) { self.rule = rule }

  /// Returns the address of the client that has sent a request; `nil` if it is unknown. `isShared` is whether it is a
  /// proxy's, because the proxy has named no client, or is not named itself.
  func client(of request: ServerRequest) -> (address: String?, isShared: Bool) {
    guard rule != .count(0) else { return (request.peer, presumesProxy(of: request)) }
    var hops = request.headers.values(of: "X-Forwarded-For").flatMap { $0.split(separator: ",").map(String.init) }
    var client = request.peer, proxies = 0
    // From the server outwards, while the writer of the entry is a proxy.
    while isProxy(client, after: proxies), let hop = hops.popLast(), let address = Self.address(in: hop) {
      client = address
      proxies += 1
    }
    return (client, isProxy(client, after: proxies))
  }

  /// Whether a request has a proxy's header field, but comes from an address that is not trusted.
  func ignoresWord(of request: ServerRequest) -> Bool { request.isForwarded && !isProxy(request.peer, after: 0) }

  /// Whether a request seems to come through a proxy that the owner has not named: it has a proxy's header field, and
  /// comes from this machine or a private network. A client at a public address cannot pass for a proxy. Once any proxy
  /// is named, no other one is presumed.
  ///
  /// The clients behind such a proxy are one client to the server. A share for one would be refused to all of them.
  func presumesProxy(of request: ServerRequest) -> Bool {
    guard rule == .count(0), request.isForwarded, let peer = request.peer.flatMap({ NetworkAddress($0) }) else {
      return false
    }
    return peer.isLoopback || peer.isPrivate
  }

  private func isProxy(_ address: String?, after proxies: Int) -> Bool {
    switch rule {
    case .count(let count): return proxies < count
    case .networks(let networks):
      guard let address else { return !networks.isEmpty }
      return NetworkAddress(address).map(contains) ?? false
    }
  }

  /// Whether a connection from an address is a proxy's.
  func contains(_ address: NetworkAddress) -> Bool {
    switch rule {
    case .count(let count): count > 0
    case .networks(let networks): networks.contains { $0.contains(address) }
    }
  }

  /// Returns the address in `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or `[2001:db8::1]:80`; `nil` for other text.
  private static func address(in hop: String) -> String? {
    var text = hop.trimmingPrefix { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    if text.first == "[" {
      text = text.dropFirst().prefix { $0 != "]" }
    } else if text.count(where: { $0 == ":" }) == 1 {
      text = text.prefix { $0 != ":" }
    }
    return NetworkAddress(text) == nil ? nil : String(text)
  }
}

extension ServerRequest {
  /// Whether the request has a header field in which a proxy names its client.
  fileprivate var isForwarded: Bool {
    Steps.add(headers.fields.count)
    return headers.fields.contains {
      TransportHeaders.isSame($0.name, "X-Forwarded-For") || TransportHeaders.isSame($0.name, "Forwarded")
    }
  }
}
