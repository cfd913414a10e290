import GatehouseAsyncHTTP
import GatehouseHTTP
import GatehouseURLSession

/// Requests a second of a small call on loopback, by both transports in turns: one at a time, and 32 at once.
@main struct TransportBenchmark {
  static let rounds = 5
  static let crowds = [1, 32]

  static func main() async throws {
    let server = SmallServer()
    let transports: [(name: String, transport: any HTTPTransport)] = [
      ("URLSessionTransport", URLSessionTransport()), ("AsyncHTTPTransport", AsyncHTTPTransport()),
    ]
    print("requests a second on loopback; medians of \(rounds) rounds of 2 s, in turns\n")
    for crowd in crowds {
      var rates = transports.map { _ in [Double]() }
      for (_, transport) in transports { _ = try await rate(transport, server.url, crowd, for: .milliseconds(300)) }
      for _ in 0..<rounds {
        for (index, one) in transports.enumerated() {
          rates[index].append(try await rate(one.transport, server.url, crowd, for: .seconds(2)))
        }
      }
      for (index, one) in transports.enumerated() {
        let sorted = rates[index].sorted()
        print(
          "\(one.name), \(crowd) at once: \(Int(sorted[rounds / 2])) (\(Int(sorted[0])) to \(Int(sorted[rounds - 1])))")
      }
    }
  }

  static func rate(
    _ transport: any HTTPTransport, _ url: String, _ crowd: Int, for time: Duration
  ) async throws -> Double {
    let begin = ContinuousClock.now, end = begin + time
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<crowd {
        group.addTask {
          var count = 0
          while ContinuousClock.now < end {
            let response = try await transport.send(TransportRequest(.get, url))
            precondition(response.status == 200 && response.body.count == 17)
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    return Double(count) / ((ContinuousClock.now - begin) / .seconds(1))
  }
}
