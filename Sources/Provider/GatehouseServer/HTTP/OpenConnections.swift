import CoreMetrics
import GatehouseQueues
import Logging

/// Counts the open connections of a server, in all and of each network, and decides on new ones.
///
///     a new connection                                    is
///     below both limits                                   admitted
///     above one of them                                   refused with an answer
///     likewise, while many such answers are being sent    closed without one
final class OpenConnections: Sendable {
  enum Admission { case admitted, refused, dropped }

  private struct State {
    var admitted = 0
    var refused = 0
    var ofNetworks: [[UInt8]: Int] = [:]
    var hasWarned = false
  }

  private let bounds: Bounds
  private let meter: Meter
  private let refusals: Counter
  private let logger: Logger
  private let state = Lock(State())

  init(_ bounds: Bounds, _ metrics: any MetricsFactory, _ logger: Logger) {
    self.bounds = bounds
    meter = Meter(label: "gatehouse_http_connections", factory: metrics)
    refusals = Counter(label: "gatehouse_http_refused_connections_total", factory: metrics)
    self.logger = logger
  }

  /// Decides on a new connection, and counts it unless it is dropped.
  ///
  /// - Parameter network: the connection's network; `nil` if its connections are not limited.
  func admit(_ network: [UInt8]?) -> Admission {
    let (admission, isFirstRefusal) = state.withLock { state -> (Admission, Bool) in
      let ofNetwork = network.map { state.ofNetworks[$0, default: 0] } ?? 0
      if state.admitted < bounds.connections, ofNetwork < bounds.connectionsPerNetwork {
        state.admitted += 1
        if let network { state.ofNetworks[network] = ofNetwork + 1 }
        return (.admitted, false)
      }
      let isFirst = !state.hasWarned
      state.hasWarned = true
      guard state.refused < bounds.refusals else { return (.dropped, isFirst) }
      state.refused += 1
      return (.refused, isFirst)
    }
    if admission == .admitted { meter.increment() } else { refusals.increment() }
    if isFirstRefusal {
      logger.warning(
        """
        connections are refused: there may be \(bounds.connections) at once, \(bounds.connectionsPerNetwork) of one \
        network or user; this is reported once
        """)
    }
    return admission
  }

  /// Counts the end of a connection.
  func leave(_ admission: Admission, _ network: [UInt8]?) {
    state.withLock { state in
      switch admission {
      case .dropped: break
      case .refused: state.refused -= 1
      case .admitted:
        state.admitted -= 1
        guard let network, let count = state.ofNetworks[network] else { return }
        state.ofNetworks[network] = count > 1 ? count - 1 : nil
      }
    }
    if admission == .admitted { meter.decrement() }
  }
}

extension OpenConnections {
  /// The numbers of connections that a server takes.
  struct Bounds: Sendable, Hashable {
    let connections: Int
    let connectionsPerNetwork: Int
    /// The maximum number of refused connections that still wait for their answer to be read.
    let refusals: Int

    /// - Parameters:
    ///   - limits: the settings.
    ///   - descriptors: the number of file descriptors that the process may open.
    ///   - cores: the number of processors: each has a thread for connections, with descriptors of its own.
    init(_ limits: HTTPLimits, descriptors: Int, cores: Int) {
      // For the database, the logs, deliveries and connections to identity providers.
      let reserve = min(192 + 4 * cores, descriptors / 2)
      refusals = reserve / 4
      connections = max(min(limits.connections, descriptors - reserve), 1)
      connectionsPerNetwork = max(min(limits.connectionsPerNetwork, connections / 4), 1)
    }
  }
}
