import Foundation
import FoundationNetworking
import GatehouseBase
import GatehouseHTTP
import GatehouseQueues

/// One request in flight, and the part of its response that has arrived.
///
/// Ends once, by the first of these: the response, the deadline, the caller's cancellation, a limit. Then the request
/// is cancelled, and data that arrives later is dropped. Calls to a busy session may block, so it is only called on a
/// background queue.
final class Exchange: Sendable {
  typealias Outcome = Result<TransportResponse, AuthError>

  private struct State: Sendable {
    var status: Int?
    var headers: TransportHeaders = [:]
    var url: String
    var body: [UInt8] = []
    var redirects = 0
    var task: URLSessionDataTask?
    var outcome: Outcome?
    var waiter: CheckedContinuation<Outcome, Never>?

    /// The part that has arrived; `nil` before its head.
    var response: TransportResponse? {
      status.map { TransportResponse(status: $0, headers: headers, body: body, url: url) }
    }
  }

  let request: TransportRequest
  private let background: BackgroundQueue
  private let state: Lock<State>

  init(_ request: TransportRequest, on background: BackgroundQueue) {
    self.request = request
    self.background = background
    state = Lock(State(url: request.url))
  }

  /// Waits for the end. Call it once.
  ///
  /// - Parameter start: makes the task and passes it to `attach`. Called on the background queue.
  func outcome(_ start: @escaping @Sendable () -> Void) async -> Outcome {
    await withCheckedContinuation { waiter in
      let outcome = state.withLock { state in
        if state.outcome == nil { state.waiter = waiter }
        return state.outcome
      }
      if let outcome { waiter.resume(returning: outcome) } else { background.async(start) }
    }
  }

  /// Sends the request, unless the exchange has ended meanwhile. Returns whether it was sent. Called on the background
  /// queue.
  func attach(_ task: URLSessionDataTask) -> Bool {
    let hasEnded = state.withLock { state in
      state.task = task
      return state.outcome != nil
    }
    if hasEnded { task.cancel() } else { task.resume() }
    return !hasEnded
  }

  func end(_ outcome: Outcome) {
    let (isFirst, waiter, task) = state.withLock { state in
      let (isFirst, waiter) = (state.outcome == nil, state.waiter)
      if isFirst {
        state.outcome = outcome
        state.body = []
        state.waiter = nil
      }
      return (isFirst, waiter, state.task)
    }
    guard isFirst else { return }
    waiter?.resume(returning: outcome)
    if case .failure = outcome, let task { background.async { task.cancel() } }
  }

  // MARK: Called by the session

  /// Answers a redirect to an absolute or relative URL: with the URL to follow, or `nil`. If following was requested
  /// but is not allowed, the exchange ends.
  ///
  /// Answering a session after its task was cancelled stops the process. So it is answered under the lock, and only
  /// while the exchange has not ended: the task is cancelled after that.
  func redirect(to target: String, _ answer: (URL?) -> Void) {
    let refusal = state.withLock { state -> AuthError? in
      guard state.outcome == nil else { return nil }
      guard request.followsRedirects else {
        answer(nil)
        return nil
      }
      state.redirects += 1
      do throws(AuthError) {
        guard let url = URL(string: target, relativeTo: URL(string: state.url))?.absoluteURL else {
          throw AuthError(.redirectRefused, "the redirect has no valid Location")
        }
        try request.checkRedirect(to: url.absoluteString, count: state.redirects)
        state.url = url.absoluteString
        answer(url)
        return nil
      } catch {
        answer(nil)
        return error
      }
    }
    if let refusal { end(.failure(AuthError(.redirectRefused, refusal.message))) }
  }

  /// Handles a complete response with status 401 that asks for credentials, of which there are none: it is the outcome.
  /// Without an answer the session waits forever.
  ///
  /// As with a redirect the session is answered under the lock, before the exchange ends.
  func completeUnauthorized(_ answer: () -> Void) {
    let response = state.withLock { state -> TransportResponse? in
      guard state.outcome == nil else { return nil }
      answer()
      return state.response
    }
    if let response { end(.success(response)) }
  }

  /// Handles the head of the response. Returns whether the body is wanted.
  func receive(_ response: HTTPURLResponse, bodyLength: Int64) -> Bool {
    guard bodyLength <= request.maximumResponseLength else {
      end(.failure(tooLarge))
      return false
    }
    if let coding = response.value(forHTTPHeaderField: "Content-Encoding"), coding.lowercased() != "identity" {
      end(.failure(AuthError(.responseInvalid, "the server compressed its answer, which was not asked for")))
      return false
    }
    let fields = response.allHeaderFields.compactMap { name, value in
      (name as? String).map { TransportHeaders.Field($0, "\(value)") }
    }
    state.withLock { state in
      state.status = response.statusCode
      state.headers = TransportHeaders(fields.sorted { $0.name < $1.name })
      state.body = []
    }
    return true
  }

  /// Handles a part of the body.
  func receive(_ data: Data) {
    let isTooLarge = state.withLock { state in
      guard state.outcome == nil else { return false }
      guard data.count <= request.maximumResponseLength - state.body.count else { return true }
      state.body += data
      return false
    }
    if isTooLarge { end(.failure(tooLarge)) }
  }

  /// Handles the end of the response, or of the attempt.
  func complete(_ error: (any Error)?) {
    if let error {
      let host = (try? HTTPOrigin(of: request.url).host) ?? "the server"
      return end(.failure(AuthError(.networkError, ConnectionFault(error).reason(host))))
    }
    end(
      state.withLock(\.response).map { .success($0) }
        ?? .failure(AuthError(.networkError, "the server closed the connection without a response")))
  }

  private var tooLarge: AuthError {
    AuthError(.responseTooLarge, "the response is longer than \(request.maximumResponseLength) bytes")
  }
}
