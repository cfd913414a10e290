import GatehouseBase
import GatehouseHTTP
import GatehouseQueues

/// A transport that violates its contract: each request waits for its answer, ignoring timeouts and cancellation.
final class LateTransport: HTTPTransport {
  private let waiting = Lock<[CheckedContinuation<TransportResponse, Never>]>([])

  func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
    await withCheckedContinuation { waiter in waiting.withLock { $0.append(waiter) } }
  }

  func waitForRequest(count: Int) async {
    while waiting.withLock({ $0.count }) < count { await Task.yield() }
  }

  /// Answers a request, given its index. Call once for each.
  func answer(_ place: Int, _ text: String) {
    let waiter = waiting.withLock { $0[place] }
    waiter.resume(
      returning: TransportResponse(
        status: 200, headers: ["Content-Type": "application/json"], body: Array(text.utf8), url: RemoteScene.url))
  }
}
