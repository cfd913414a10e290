import GatehouseBase
import GatehouseHTTP
import GatehouseQueues

extension RemoteKeySet {
  var request: TransportRequest {
    var request = TransportRequest(
      .get, url, headers: ["Accept": "application/json, application/jwk-set+json"], timeout: options.timeout,
      maximumResponseLength: RemoteKeyOptions.maximumResponseLength)
    request.followsRedirects = options.followsRedirects
    return request
  }

  /// Waits for the running fetch. If there is none, begins one, unless the ledger refuses.
  ///
  /// The decision is made on the work queue; the transport is called in the background.
  ///
  /// - Parameter fetched: returns keys that serve the caller as well as a fetch would.
  func fetch(
    at now: ClockReading, orTake fetched: @escaping @Sendable (KeyShelf) -> KeySnapshot? = { _ in nil },
    unless refusal: @escaping @Sendable (FetchLedger) throws(AuthError) -> Void
  ) async throws(AuthError) -> KeySnapshot {
    // Boxed, because it refers to the user's objects, which must not be released on the work queue.
    let start = TakeOnce<@Sendable (UInt64) -> Void> { [self] number in begin(number, at: now) }
    let joined = await WorkQueue.result(of: { [fetching] () async throws(AuthError) in
      let turn = try fetching.join(at: now, orTake: fetched, unless: refusal)
      // Not by the caller: other callers also wait for this fetch, and the caller's executor may be busy.
      if let number = turn.begins { _ = Background.start { start.take()?(number) } }
      return turn
    })
    if (try? joined.get())?.begins == nil { _ = start.take() }
    let outcome = try joined.typed().outcome
    switch await WorkQueue.result(of: { () async throws(QueueFailure<AuthError>) in try await outcome.value() }) {
    case .success(let snapshot): return snapshot
    case .failure(.work(let error)): throw error
    case .failure: throw .cancelled
    }
  }

  /// Begins a fetch without a waiting caller, if none is running and none has just failed.
  func fetchAhead(at now: ClockReading) {
    guard gate.asksAhead(at: now) else { return }
    // Not on the transport's threads: stuck threads would prevent fetches ahead of time for good.
    _ = Background.start { [self] in
      let number = await WorkQueue.result(of: { [fetching] () async throws(AuthError) in
        fetching.beginAhead(at: now)
      })
      gate.answeredAhead()
      if case .success(let number?) = number { begin(number, at: now) }
    }
  }

  /// Performs a fetch, which continues when the caller that began it is cancelled.
  ///
  /// The transport runs on the SDK's own threads, so that one that blocks its thread delays no other fetch's deadline.
  private func begin(_ number: UInt64, at now: ClockReading) {
    let fetching = fetching
    let fetch = Background.start(on: threads) { [self] in
      let result = await outcome { () async throws(AuthError) in
        let response = try await transport.send(request)
        let fetched = try FetchedKeys(response, to: request, format: options.format, at: now.wall)
        return try fetched.kept(begunAt: now, after: shelf.snapshot, times)
      }
      let end = clocks.now()
      WorkQueue.async("end a fetch of keys") { fetching.end(number, at: end, result) }
    }
    // The transport has its own timeout; this one does not depend on it.
    let timeout = times.timeout
    let alarm = time.at({ _ in Alarm(boot: now.boot + timeout) }) {
      fetching.end(
        number, at: now.advanced(by: timeout), .failure(.deadlineExceeded("the fetch of keys", after: timeout)))
      fetch.cancel()
    }
    WorkQueue.async("keep an alarm") { fetching.keep(alarm, of: number) }
  }
}
