public import GatehouseBase
public import GatehouseHTTP
import GatehouseQueues

/// A transport for tests, with scripted answers and a record of the requests.
///
/// Each URL has a script: the answers are returned in order, and the last one is repeated. A URL without a script is an
/// unreachable server. The transport keeps the whole contract of `HTTPTransport`; timeouts are measured on the given
/// clocks.
public final class RecordingTransport: HTTPTransport {
  /// A scripted answer.
  public enum Answer: Sendable {
    /// Answers with a status, headers and a body.
    case status(Int, headers: TransportHeaders = [:], body: [UInt8] = [])
    /// Fails with an error.
    case failure(AuthError)
    /// Never answers.
    case silence
  }

  private struct State: Sendable {
    var scripts: [String: [Answer]] = [:]
    var requests: [TransportRequest] = []
    var isHolding = false
    var nextID: UInt64 = 0
    var waiting: [UInt64: CheckedContinuation<AuthError?, Never>] = [:]
    var watchers: [UInt64: (count: Int, wake: CheckedContinuation<Void, Never>)] = [:]

    mutating func takeID() -> UInt64 {
      defer { nextID += 1 }
      return nextID
    }

    /// Removes and returns the waiters whose count is reached.
    mutating func takeSatisfiedWatchers() -> [CheckedContinuation<Void, Never>] {
      let satisfied = watchers.filter { $0.value.count <= requests.count }
      for id in satisfied.keys { watchers[id] = nil }
      return satisfied.map(\.value.wake)
    }
  }

  private let state = Lock(State())
  private let clocks: any Clocks

  /// Makes a transport whose timeouts are measured on these clocks.
  public init(clocks: any Clocks = SystemClocks()) { self.clocks = clocks }

  // MARK: Controlling answers

  /// Replaces the script of a URL.
  public func answer(_ url: String, _ answers: Answer...) { state.withLock { $0.scripts[url] = answers } }

  /// Holds all answers until `release`.
  public func hold() { state.withLock { $0.isHolding = true } }

  /// Releases the held answers, and stops holding.
  public func release() {
    let released = state.withLock { state in
      state.isHolding = false
      defer { state.waiting = [:] }
      return state.waiting
    }
    for (_, waiter) in released.sorted(by: { $0.key < $1.key }) { waiter.resume(returning: nil) }
  }

  // MARK: Inspecting requests

  /// The requests, in order; redirected ones once.
  public var requests: [TransportRequest] { state.withLock { $0.requests } }

  /// Waits until `count` requests have arrived; returns early if the task is cancelled.
  public func waitForRequest(count: Int = 1) async {
    let id = state.withLock { $0.takeID() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready = state.withLock { state -> [CheckedContinuation<Void, Never>] in
          guard !Task.isCancelled else { return [continuation] }
          state.watchers[id] = (count, continuation)
          return state.takeSatisfiedWatchers()
        }
        for watcher in ready { watcher.resume() }
      }
    } onCancel: {
      state.withLock { $0.watchers.removeValue(forKey: id) }?.wake.resume()
    }
  }

  // MARK: Answering

  public func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
    try typed { try request.check() }
    let seen = state.withLock { state in
      state.requests.append(request)
      return state.takeSatisfiedWatchers()
    }
    for watcher in seen { watcher.resume() }
    try await wait(request, onlyWhileHolding: true)
    return try await answer(request, at: request.url, redirects: 0)
  }

  private func answer(
    _ request: TransportRequest, at url: String, redirects: Int
  ) async throws(AuthError) -> TransportResponse {
    switch next(url) {
    case nil: throw AuthError(.networkError, "there is no server")
    case .failure(let error)?: throw error
    case .silence?:
      try await wait(request, onlyWhileHolding: false)
      throw AuthError(.networkError, "the server has gone")
    case .status(let status, let headers, let body)?:
      guard body.count <= request.maximumResponseLength else {
        throw AuthError(.responseTooLarge, "the response is longer than \(request.maximumResponseLength) bytes")
      }
      let response = TransportResponse(status: status, headers: headers, body: body, url: url)
      guard request.followsRedirects, response.isRedirect, let target = headers["Location"] else { return response }
      do throws(AuthError) { try typed { try request.checkRedirect(to: target, count: redirects + 1) } } catch {
        throw error.code == .redirectRefused ? error : AuthError(.redirectRefused, error.message)
      }
      return try await answer(request, at: target, redirects: redirects + 1)
    }
  }

  private func next(_ url: String) -> Answer? {
    state.withLock { state in
      guard let script = state.scripts[url], let first = script.first else { return nil }
      if script.count > 1 { state.scripts[url]?.removeFirst() }
      return first
    }
  }

  /// Waits until `release`, the request's timeout, or its cancellation.
  private func wait(_ request: TransportRequest, onlyWhileHolding: Bool) async throws(AuthError) {
    let id = state.withLock { $0.takeID() }
    let seconds = request.timeout / .seconds(1)
    let end = clocks.now().boot + seconds
    var alarm: Task<Void, Never>?
    let error: AuthError? = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let (goesOn, isCancelled) = state.withLock { state in
          let goesOn = onlyWhileHolding && !state.isHolding
          let isCancelled = Task.isCancelled
          if !goesOn, !isCancelled { state.waiting[id] = waiter }
          return (goesOn, isCancelled)
        }
        guard !goesOn, !isCancelled else { return waiter.resume(returning: isCancelled ? .cancelled : nil) }
        alarm = Task.detached { [self] in
          await clocks.sleep(until: Alarm(boot: end))
          if !Task.isCancelled { wake(id, .deadlineExceeded("the request", after: seconds)) }
        }
      }
    } onCancel: {
      wake(id, .cancelled)
    }
    alarm?.cancel()
    if let error { throw error }
  }

  private func wake(_ id: UInt64, _ error: AuthError) {
    state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: error)
  }
}
