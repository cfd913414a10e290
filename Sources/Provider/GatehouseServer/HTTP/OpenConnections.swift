package import CoreMetrics
package import GatehouseLocal
import GatehouseQueues
package import Logging

/// Counts the open connections of a server, in all and of each network, and decides on new ones.
///
///     a new connection                                    is
///     below all limits                                    admitted
///     above one of them                                   refused with an answer
///     likewise, while many such answers are being sent    closed without one
///
/// A connection over IPv6 counts for three networks (`NetworkAddress.networks`).
package final class OpenConnections: Sendable {
  package enum Admission { case admitted, refused, dropped }

  private struct State {
    var admitted = 0
    var refused = 0
    var ofNetworks: [[UInt8]: Int] = [:]
    /// The keys of the parts whose refusals are in the log; an empty one for connections without a part.
    var warned: Set<[UInt8]> = []
  }

  private let bounds: Bounds
  private let meter: Meter
  private let refusals: Counter
  private let logger: Logger
  private let state = Lock(State())

  package init(_ bounds: Bounds, _ metrics: any MetricsFactory, _ logger: Logger) {
    self.bounds = bounds
    meter = Meter(label: "gatehouse_http_connections", factory: metrics)
    refusals = Counter(label: "gatehouse_http_refused_connections_total", factory: metrics)
    self.logger = logger
  }

  /// The maximum number of open connections.
  package var count: Int { bounds.connections }

  /// Decides on a new connection, and counts it unless it is dropped.
  ///
  /// - Parameters:
  ///   - networks: the connection's networks; none if its connections are not limited.
  ///   - part: the part of the connections that it belongs to, if they are divided.
  package func admit(_ networks: [NetworkAddress.Network], _ part: ConnectionPart? = nil) -> Admission {
    let (admission, isFirstRefusal) = state.withLock { state -> (Admission, Bool) in
      let haveRoom = networks.allSatisfy {
        state.ofNetworks[$0.prefix, default: 0] < bounds.connections(ofNetworkWithShare: $0.share)
      }
      let hasRoom = part.map { state.ofNetworks[$0.key, default: 0] < $0.maximum } ?? true
      if state.admitted < bounds.connections, haveRoom, hasRoom {
        state.admitted += 1
        for network in networks { state.ofNetworks[network.prefix, default: 0] += 1 }
        if let part { state.ofNetworks[part.key, default: 0] += 1 }
        return (.admitted, false)
      }
      let isFirst = state.warned.insert(part?.key ?? []).inserted
      guard state.refused < bounds.refusals else { return (.dropped, isFirst) }
      state.refused += 1
      return (.refused, isFirst)
    }
    if admission == .admitted { meter.increment() } else { refusals.increment() }
    if isFirstRefusal, let part {
      logger.warning(
        "connections of \(part.name) are refused: there may be \(part.maximum) at once; this is reported once")
    } else if isFirstRefusal {
      logger.warning(
        """
        connections are refused: there may be \(bounds.connections) at once, \(bounds.connectionsPerNetwork) of one \
        network or user; this is reported once
        """)
    }
    return admission
  }

  /// Counts the end of a connection.
  package func leave(
    _ admission: Admission, _ networks: [NetworkAddress.Network], _ part: ConnectionPart? = nil
  ) {
    state.withLock { state in
      switch admission {
      case .dropped: break
      case .refused: state.refused -= 1
      case .admitted:
        state.admitted -= 1
        for key in networks.map(\.prefix) + (part.map { [$0.key] } ?? []) {
          guard let count = state.ofNetworks[key] else { continue }
          state.ofNetworks[key] = count > 1 ? count - 1 : nil
        }
      }
    }
    if admission == .admitted { meter.decrement() }
  }
}

extension OpenConnections {
  /// The numbers of connections that a server takes.
  package struct Bounds: Sendable, Hashable {
    let connections: Int
    /// The maximum number of connections of the first 64 bits of IPv6, and of an IPv4 address.
    let connectionsPerNetwork: Int
    /// The maximum number of connections of any network, however large.
    let mostPerNetwork: Int
    /// The maximum number of refused connections that still wait for their answer to be read.
    let refusals: Int
    /// The maximum number of connections that are accepted: one is closed without an answer while the next one comes.
    let accepted: Int

    /// - Parameters:
    ///   - limits: the settings.
    ///   - descriptors: the number of file descriptors that the process may still open.
    ///   - cores: the number of processors: each has a thread for connections, with descriptors of its own.
    package init(_ limits: HTTPLimits, descriptors: Int, cores: Int) {
      // For the database, the logs, deliveries and connections to identity providers. The last number is what the
      // server opens in any case.
      let least = min(192 + 4 * cores, max(descriptors / 2, 8 + 4 * cores))
      let reserve = max(least, min(limits.keptDescriptors ?? 0, descriptors / 2))
      refusals = least / 4
      connections = max(min(limits.connections, descriptors - reserve), 1)
      accepted = connections + refusals + 2
      mostPerNetwork = max(connections / 4, 1)
      connectionsPerNetwork = max(min(limits.connectionsPerNetwork, mostPerNetwork), 1)
    }

    fileprivate func connections(ofNetworkWithShare share: Int) -> Int {
      let (product, isTooLarge) = connectionsPerNetwork.multipliedReportingOverflow(by: share)
      return isTooLarge ? mostPerNetwork : min(product, mostPerNetwork)
    }
  }
}
