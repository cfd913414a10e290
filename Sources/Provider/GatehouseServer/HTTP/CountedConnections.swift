import CoreMetrics
import HummingbirdCore

/// Limits the number of open connections, and reports it.
struct CountedConnections: AvailableConnectionsDelegate {
  let maximum: Int
  let meter: Meter
  private var count = 0

  init(maximum: Int, _ factory: any MetricsFactory) {
    self.maximum = maximum
    meter = Meter(label: "gatehouse_http_connections", factory: factory)
  }

  mutating func connectionOpened() {
    count += 1
    meter.set(count)
  }

  mutating func connectionClosed() {
    count -= 1
    meter.set(count)
  }

  func isAcceptingNewConnections() -> Bool { count < maximum }
}
