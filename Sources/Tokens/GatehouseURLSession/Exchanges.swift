import Foundation
import FoundationNetworking
import GatehouseQueues

/// The requests in flight of a session, and the session's delegate for them.
final class Exchanges: NSObject, URLSessionDataDelegate {
  private let underWay = Lock<[Int: Exchange]>([:])

  func add(_ exchange: Exchange, for task: URLSessionTask) {
    underWay.withLock { $0[task.taskIdentifier] = exchange }
  }

  /// Removes a request that was never sent, about which the session reports nothing, or one that has ended.
  @discardableResult
  func remove(_ task: URLSessionTask) -> Exchange? { underWay.withLock { $0.removeValue(forKey: task.taskIdentifier) } }

  private func exchange(of task: URLSessionTask) -> Exchange? { underWay.withLock { $0[task.taskIdentifier] } }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // Without an exchange the request was cancelled, and must not be answered. The URL that the session proposes is not
    // used: on Linux it turns `file:///` into a URL of this server.
    exchange(of: task)?.redirect(to: response.value(forHTTPHeaderField: "Location") ?? "") { url in
      completionHandler(
        url.map { url in
          var request = request
          request.url = url
          return request
        })
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    exchange(of: task)?.completeUnauthorized { completionHandler(.cancelAuthenticationChallenge, nil) }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    guard let exchange = exchange(of: dataTask), let response = response as? HTTPURLResponse else {
      return completionHandler(.cancel)
    }
    completionHandler(exchange.receive(response, bodyLength: response.expectedContentLength) ? .allow : .cancel)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.receive(data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    remove(task)?.complete(error)
  }
}
