package import CoreMetrics
package import GatehouseLocal
import GatehouseQueues
package import Logging

/// The memory for the bodies of requests that are longer than usual. A client may open many connections, and send a
/// part of a long body on each.
///
///     the request is                   its body takes from                          and loses it to another network
///     an administrator's               a quarter for administrators, then the       never
///                                      rest
///     of a network                     the rest, up to the network's share          while it is being received
///     of this machine, or of a proxy   the rest                                     while it is being received
///     that has named no client
///
/// While the rest is full, the network that holds the most of it loses its oldest body, if that is still being received
/// and another network needs the room and holds less. So a body that comes slowly keeps its room only as long as no
/// other network needs it (decision 150).
package final class BodyBudget: Sendable {
  /// A body up to this length, in bytes, needs nothing of the budget.
  package static let free = 16 << 10

  /// A body that holds a part of the budget.
  fileprivate struct Body: Sendable {
    let networks: [NetworkAddress.Network]
    let isAdministrators: Bool
    let end: @Sendable () -> Void
    /// The lengths that it has of the administrators' part and of the rest.
    var reserved = 0
    var common = 0
    var isReceived = false

    /// The largest network, or an empty prefix for all requests whose client is not known.
    var party: [UInt8] { networks.last?.prefix ?? [] }
    /// The networks that its length counts for.
    var prefixes: [[UInt8]] { networks.isEmpty ? [[]] : networks.map(\.prefix) }
  }

  fileprivate struct State: Sendable {
    /// What is left of the administrators' part and of the rest.
    var reserved: Int
    var common: Int
    var ofNetworks: [[UInt8]: Int] = [:]
    /// By number, in the order in which they began.
    var bodies: [UInt64: Body] = [:]
    var next: UInt64 = 0
    var hasWarned = false
  }

  private let bounds: Bounds
  private let refusals: Counter
  private let logger: Logger
  private let state: Lock<State>

  package init(_ limits: HTTPLimits, _ metrics: any MetricsFactory, _ logger: Logger) {
    bounds = Bounds(limits)
    refusals = Counter(label: "gatehouse_http_refused_bodies_total", factory: metrics)
    self.logger = logger
    state = Lock(State(reserved: bounds.reserved, common: bounds.common))
  }

  /// Begins a body that is longer than `free`. It holds nothing yet.
  ///
  /// - Parameters:
  ///   - networks: the networks of its client; none if its client is not known.
  ///   - isAdministrators: whether an administrator sends it.
  ///   - end: ends its connection when another network needs its room. Called once at most, from any thread.
  package func begin(
    of networks: [NetworkAddress.Network], isAdministrators: Bool, orEnd end: @escaping @Sendable () -> Void
  ) -> Share {
    let body = Body(networks: networks, isAdministrators: isAdministrators, end: end)
    let number = state.withLock { state in
      state.next += 1
      state.bodies[state.next] = body
      return state.next
    }
    return Share(budget: self, number: number)
  }

  /// The part of the budget that one body has.
  package struct Share: Sendable {
    fileprivate let budget: BodyBudget
    fileprivate let number: UInt64

    /// Makes the share large enough for a body.
    ///
    /// - Returns: Whether there was enough room. There is none for a body that has lost its room to another.
    package func hold(_ length: Int) -> Bool { budget.hold(length, number) }

    /// Keeps the room until `release`, because the whole body is there.
    ///
    /// - Returns: Whether the body still had its room.
    package func keep() -> Bool {
      budget.state.withLock { state in
        state.bodies[number]?.isReceived = true
        return state.bodies[number] != nil
      }
    }

    package func release() { budget.state.withLock { _ = $0.remove(number) } }
  }

  private func hold(_ length: Int, _ number: UInt64) -> Bool {
    var ended: [Body] = []
    let (isHeld, isFirstRefusal) = state.withLock { state -> (Bool, Bool) in
      let isHeld = state.hold(length, number, bounds, ending: &ended)
      guard !isHeld || !ended.isEmpty, !state.hasWarned else { return (isHeld, false) }
      state.hasWarned = true
      return (isHeld, true)
    }
    for body in ended { body.end() }
    if !isHeld || !ended.isEmpty { refusals.increment(by: ended.count + (isHeld ? 0 : 1)) }
    if isFirstRefusal {
      logger.warning(
        """
        bodies of more than \(Self.free) bytes are refused: \(bounds.common) bytes may be held at once, \
        \(bounds.perNetwork) of one network, and \(bounds.reserved) more for administrators \
        (HTTPLimits.bodiesLength); this is reported once
        """)
    }
    return isHeld
  }
}

extension BodyBudget {
  /// The parts of the budget, in bytes.
  fileprivate struct Bounds: Sendable {
    let reserved: Int
    let common: Int
    /// The share of an IPv4 address, and of the first 64 bits of IPv6; and of any network, however large. Every network
    /// may hold one body of any length.
    let perNetwork: Int
    let mostPerNetwork: Int

    init(_ limits: HTTPLimits) {
      reserved = limits.bodiesLength / 4
      common = limits.bodiesLength - reserved
      perNetwork = max(common / 8, limits.bodyLength)
      mostPerNetwork = max(common / 4, limits.bodyLength)
    }

    func length(ofNetworkWithShare share: Int) -> Int {
      let (product, isTooLarge) = perNetwork.multipliedReportingOverflow(by: share)
      return isTooLarge ? mostPerNetwork : min(product, mostPerNetwork)
    }
  }
}

extension BodyBudget.State {
  fileprivate mutating func hold(
    _ length: Int, _ number: UInt64, _ bounds: BodyBudget.Bounds, ending ended: inout [BodyBudget.Body]
  ) -> Bool {
    guard let body = bodies[number] else { return false }
    let more = length - body.reserved - body.common
    guard more > 0 else { return true }
    if body.isAdministrators, reserved >= more {
      reserved -= more
      bodies[number]?.reserved += more
      return true
    }
    let haveRoom = body.networks.allSatisfy {
      ofNetworks[$0.prefix, default: 0] + more <= bounds.length(ofNetworkWithShare: $0.share)
    }
    guard haveRoom else { return false }
    while common < more {
      guard let other = longest(above: ofNetworks[body.party, default: 0] + more), let lost = remove(other) else {
        return false
      }
      ended.append(lost)
    }
    common -= more
    bodies[number]?.common += more
    for prefix in body.prefixes { ofNetworks[prefix, default: 0] += more }
    return true
  }

  /// Returns the oldest body that is still being received, of the network that holds the most and more than a length.
  private func longest(above length: Int) -> UInt64? {
    var found: (number: UInt64, total: Int)?
    for (number, body) in bodies where body.common > 0 && !body.isReceived && !body.isAdministrators {
      let total = ofNetworks[body.party, default: 0]
      guard total > length else { continue }
      if let found, (total, found.number) <= (found.total, number) { continue }
      found = (number, total)
    }
    return found?.number
  }

  fileprivate mutating func remove(_ number: UInt64) -> BodyBudget.Body? {
    guard let body = bodies.removeValue(forKey: number) else { return nil }
    reserved += body.reserved
    common += body.common
    for prefix in body.prefixes where body.common > 0 {
      let rest = ofNetworks[prefix, default: 0] - body.common
      ofNetworks[prefix] = rest > 0 ? rest : nil
    }
    return body
  }
}
