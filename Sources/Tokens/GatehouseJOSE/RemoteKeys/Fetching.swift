import GatehouseBase
import GatehouseHTTP
import GatehouseQueues
import Synchronization

/// The fetch under way, and those who wait for it.
struct Fetching: Sendable {
  typealias Outcome = Result<KeySnapshot, AuthError>
  typealias Waiter = CheckedContinuation<Outcome, Never>

  var ledger: FetchLedger
  /// Which fetch is under way; what another one brings is dropped.
  var underWay: UInt64?
  var begun: UInt64 = 0
  /// The alarm that ends the fetch under way.
  var deadline: AlarmCancellation?
  var waiters: [UInt64: Waiter] = [:]
  var nextWaiter: UInt64 = 0

  mutating func begin(at now: ClockReading) -> UInt64 {
    ledger.noteBegin(at: now)
    begun += 1
    underWay = begun
    return begun
  }

  mutating func takeID() -> UInt64 {
    defer { nextWaiter += 1 }
    return nextWaiter
  }
}

extension RemoteKeySet {
  var request: TransportRequest {
    var request = TransportRequest(
      .get, url, headers: ["Accept": "application/json, application/jwk-set+json"], timeout: .seconds(options.timeout),
      maximumResponseLength: RemoteKeyOptions.maximumResponseLength)
    request.followsRedirects = options.followsRedirects
    return request
  }

  /// Waits for the fetch under way. If there is none, begins one, unless the ledger refuses.
  func fetch(
    at now: ClockReading, unless refusal: (inout FetchLedger) throws(AuthError) -> Void
  ) async throws(AuthError) -> KeySnapshot {
    let id = fetching.withLock { $0.takeID() }
    let outcome: Fetching.Outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: Fetching.Waiter) in
        let next = fetching.withLock { state -> Next in
          // A cancellation that came before this is seen here; one that comes after finds the waiter.
          guard !Task.isCancelled else { return .refused(.cancelled) }
          if state.underWay == nil {
            do throws(AuthError) { try refusal(&state.ledger) } catch { return .refused(error) }
          }
          state.waiters[id] = waiter
          return state.underWay == nil ? .begins(state.begin(at: now)) : .waits
        }
        switch next {
        case .refused(let error): waiter.resume(returning: .failure(error))
        case .begins(let number): begin(number, at: now)
        case .waits: break
        }
      }
    } onCancel: {
      fetching.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: .failure(.cancelled))
    }
    return try outcome.get()
  }

  /// Begins a fetch that nobody waits for, if none is under way and none has just failed.
  func fetchAhead(at now: ClockReading) {
    let number = fetching.withLock { state -> UInt64? in
      guard state.underWay == nil, (try? state.ledger.checkRefresh(at: now)) != nil else { return nil }
      return state.begin(at: now)
    }
    if let number { begin(number, at: now) }
  }

  private enum Next: Sendable {
    case refused(AuthError)
    case begins(UInt64)
    case waits
  }

  // MARK: One fetch

  /// Carries out a fetch: it goes on when the caller that began it is cancelled.
  ///
  /// The transport runs on the SDK's own threads, so that one that blocks its thread delays no other fetch's deadline.
  private func begin(_ number: UInt64, at now: ClockReading) {
    let fetch = Background.start(on: threads) { [self] in
      let result = await outcome { () async throws(AuthError) in
        let response = try await transport.send(request)
        return try FetchedKeys(response, to: request, format: options.format, at: now.wall)
      }
      end(number, begunAt: now, result)
    }
    // The transport has its own timeout; this one holds whatever it does.
    let alarm = clocks.wake(at: Alarm(boot: now.boot + options.timeout)) { [self] in
      end(number, begunAt: now, .failure(.deadlineExceeded("the fetch of keys", after: options.timeout)))
      fetch.cancel()
    }
    let isOver = fetching.withLock { state in
      guard state.underWay == number else { return true }
      state.deadline = alarm
      return false
    }
    if isOver { alarm.cancel() }
  }

  /// Ends a fetch, unless it has ended: keeps what it brought, and releases those who waited.
  private func end(_ number: UInt64, begunAt begin: ClockReading, _ result: Result<FetchedKeys, AuthError>) {
    let now = clocks.now()
    let isFirst = fetching.withLock { state in
      guard state.underWay == number else { return false }
      state.underWay = 0  // nobody else ends it, and nobody begins another before the keys are in place
      return true
    }
    guard isFirst else { return }
    let before = held.value
    let outcome = result.map { keep($0, begunAt: begin, after: before) }
    let (waiters, deadline) = fetching.withLock { state in
      switch outcome {
      case .success(let snapshot): state.ledger.noteSuccess(changed: snapshot.generation != before?.generation)
      case .failure(let error): state.ledger.noteFailure(error, at: now)
      }
      state.underWay = nil
      defer { (state.waiters, state.deadline) = ([:], nil) }
      return (state.waiters, state.deadline)
    }
    deadline?.cancel()
    for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) { waiter.resume(returning: outcome) }
  }

  /// Puts fetched keys where readers find them, and only then says that old ones are gone: who reads the epoch first
  /// and the keys second never takes old keys for new.
  private func keep(_ fetched: FetchedKeys, begunAt begin: ClockReading, after before: KeySnapshot?) -> KeySnapshot {
    let isSame = before?.isSame(as: fetched.keys) ?? false
    let snapshot = KeySnapshot(
      isSame ? before?.keys ?? fetched.keys : fetched.keys,
      generation: (before?.generation ?? 0) + (isSame ? 0 : 1), fetched: begin,
      lifetime: options.lifetime(fetched.lifetime))
    held.replace { KeySnapshot(copying: snapshot) }
    if before?.losesKeys(in: fetched.keys) == true { epoch.add(1, ordering: .releasing) }
    return snapshot
  }
}
