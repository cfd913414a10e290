import GatehouseBase
import GatehouseHTTP
import GatehouseQueues

/// A transport that violates its contract: it neither answers nor observes timeouts and cancellation until it is
/// released.
final class DeafTransport: HTTPTransport {
  private let waiting = Lock<[CheckedContinuation<Void, Never>]>([])

  func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
    await withCheckedContinuation { waiter in waiting.withLock { $0.append(waiter) } }
    return TransportResponse(status: 500, url: request.url)
  }

  func letGo() {
    let waiters = waiting.withLock { waiters in
      defer { waiters = [] }
      return waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
