import GatehouseBase
import GatehouseCore
import GatehouseQueues

/// Keeps the tokens of all accounts fresh, and lends them.
///
///     asked for a token that            then
///     is at hand and lasts              return it, at once
///     is due, expired or not there      share the flight; without one, begin one
///     failed, during the back-off       throw the failure with the time to wait
///     needs a person                    throw the reason
///
/// An account has one flight at most. What is due, ahead of time or because a caller waits, is in one heap, and the
/// budget gives its permits to the account that was due first. One alarm serves all accounts: it rings when the first
/// one is due and there is a permit.
@WorkQueue
final class AgentEngine {
  nonisolated let environment: AgentEnvironment
  nonisolated let atHand = TokensAtHand()
  private nonisolated let sources = AccountSources()
  private var accounts: [String: Account] = [:]
  private var due = DueHeap()
  private var budget: FetchBudget
  private var alarm: (time: Alarm, handle: Alarms.Handle)?
  /// The difference of the clocks, wall less boot, for which the moments in the heap were computed.
  private var offset: Double?
  private var isStarted = false
  private var isClosed = false
  /// The number of flights that were sent and have not ended.
  private var flying = 0
  /// Resolves when the last flight of a closed agent has ended.
  private var landed: Promise<Void, AuthError>?
  private var isLooking = false
  private var looksAgain = false

  nonisolated init(_ environment: AgentEnvironment, fetchesPerSecond: Int) {
    self.environment = environment
    budget = FetchBudget(permits: fetchesPerSecond)
  }

  deinit {
    alarm?.handle.cancel()
    environment.callbacks.release(sources.takeAll())
  }

  // MARK: Accounts

  nonisolated func account(_ name: String, _ source: any TokenSource) -> Account {
    Account(name, kind: source.kind, sources.add(source), lendingFrom: atHand)
  }

  func addInternal(_ account: Account, at now: ClockReading) throws(AuthError) {
    guard !isClosed, accounts[account.name] == nil else {
      release(account)
      if isClosed { throw .agentClosed }
      throw AuthError(.accountExists, "the agent has an account '\(account.name)' already; remove it first")
    }
    accounts[account.name] = account
    guard isStarted else { return }
    schedule(account, at: now)
    look()
  }

  func removeInternal(_ name: String) throws(AuthError) {
    guard let account = accounts.removeValue(forKey: name) else { throw .noAccount(name) }
    account.isRemoved = true
    let flights = [account.current, account.next]
    account.next = nil
    account.lend(nil)
    release(account)
    for flight in flights { flight?.promise.resolve(.failure(.noAccount(name))) }
  }

  /// Releases the source of an account, on the callback queue.
  private func release(_ account: Account) { environment.callbacks.release(sources.take(account.source)) }

  func statusesInternal(at now: ClockReading) -> [AccountStatus] {
    accounts.values.map { $0.status(at: now) }.sorted { $0.name < $1.name }
  }

  // MARK: Tokens

  func tokenInternal(
    _ name: String, minValidity: Double, at now: ClockReading, timeout: Duration?, replacing: TokenReplacing? = nil
  ) async throws(AuthError) -> LentToken {
    let account = try open(name)
    if let token = account.token(lasting: minValidity, at: now) { return token }
    if account.current == nil {
      try checkUseful(account, minValidity: minValidity, at: now)
      if account.token?.isFresh(at: now) == true { try replacing?(now) }
    }
    do throws(AuthError) {
      let arrival = try await answer(of: flight(for: account, at: now), timeout: timeout)
      guard arrival.token.remaining(at: arrival.now) > minValidity else { throw account.tooShort(arrival.token) }
      return arrival.token
    } catch {
      // The wall clock was set back, and the source fails: the token at hand is the best answer.
      guard let token = account.token, error.code != .cancelled, !account.isRemoved,
        let later = await environment.draw()?.now, token == account.token, token.remaining(at: later) > minValidity,
        let lent = account.anyToken()
      else { throw error }
      return lent
    }
  }

  func refreshInternal(
    _ name: String, at now: ClockReading, timeout: Duration?, replacing: TokenReplacing? = nil
  ) async throws(AuthError) -> LentToken {
    let account = try open(name)
    if let error = account.issuersPause(at: now) { throw error }
    // The others share a flight that has not been sent.
    if account.current?.isSent ?? true, account.next == nil { try replacing?(now) }
    return try await answer(of: flight(for: account, at: now, notSent: true), timeout: timeout).token
  }

  private func open(_ name: String) throws(AuthError) -> Account {
    if isClosed { throw .agentClosed }
    guard let account = accounts[name] else { throw .noAccount(name) }
    if account.lane?.queue.isHeldByCurrentOperation == true { throw .wouldDeadlock(queue: "gatehouse.agent.\(name)") }
    return account
  }

  /// Throws if a fetch would not help a caller now.
  private func checkUseful(_ account: Account, minValidity: Double, at now: ClockReading) throws(AuthError) {
    if let ending = account.ending { throw ending }
    if let error = account.pause?.error(at: now) { throw error }
    let wait = account.shortestWait(at: now, lasting: minValidity)
    if let token = account.token, wait > 0, !token.isFromTheFuture(at: now) {
      throw account.tooShort(token).with { $0.retryAfter = Duration(seconds: wait) }
    }
  }

  private func answer(of flight: Flight, timeout: Duration?) async throws(AuthError) -> Arrival {
    let seconds = timeout?.inSeconds ?? environment.timeouts.call
    return try await environment.time.wait(for: flight.promise, "an agent's call", timeout: seconds)
  }
}

// MARK: - Flights

extension AgentEngine {
  /// Returns the flight that a caller waits for: the one in the air, or a new one.
  ///
  /// - Parameter notSent: whether the source must be asked after this.
  private func flight(for account: Account, at now: ClockReading, notSent: Bool = false) -> Flight {
    guard let current = account.current else {
      let flight = Flight(account)
      enqueue(flight, at: now)
      return flight
    }
    guard notSent, current.isSent else { return current }
    let next = account.next ?? Flight(account)
    account.next = next
    return next
  }

  /// Lets a flight wait for its permit, since now or since the account was due.
  private func enqueue(_ flight: Flight, at now: ClockReading) {
    flight.account.current = flight
    due.insert(flight.account, at: min(flight.account.due ?? .infinity, now.boot))
    look()
  }

  /// Asks the source.
  private func send(_ flight: Flight) {
    let account = flight.account
    account.current = flight
    flight.isSent = true
    flying += 1
    let lane = account.beginCall()
    let before = account.token
    let deadline = Deadline(environment.timeouts.fetch, on: environment.time)
    let fetched = lane.queue.enqueue("fetch", deadline: deadline) { [environment, sources] () throws(AuthError) in
      let result = await outcome { () throws(AuthError) in
        try await environment.fetch(account.source, of: sources, on: lane.threads)
      }
      account.endCall()
      // The deadline has passed. A late token is used if the account has no newer one.
      if Task.isCancelled, case .success(let token) = result, account.token == before {
        await self.takeLate(token, of: account, insteadOf: before)
      }
      return try result.typed()
    }
    WorkQueue.begin {
      let result = await outcome { () throws(AuthError) in try await fetched.value() }
      await self.end(flight, result)
    }
  }

  private func takeLate(_ token: LentToken, of account: Account, insteadOf before: KeptToken?) async {
    guard let (now, unit) = await environment.draw(), account.token == before, account.ending == nil else { return }
    guard !account.isRemoved, token.remaining(at: now) > 0 else { return }
    take(token, of: account, at: now, unit)
    look()
  }

  /// Ends a flight: keeps its token, or notes its failure, and answers its callers.
  private func end(_ flight: Flight, _ result: Result<LentToken, AuthError>) async {
    let account = flight.account
    let drawn = await environment.draw()
    flying -= 1
    account.current = nil
    if let (now, unit) = drawn, !account.isRemoved {
      let arrival = arrival(result, of: account, at: now)
      switch arrival {
      case .success(let arrival): take(arrival.token, of: account, at: now, unit)
      case .failure(let error): note(error, of: account, at: now, unit)
      }
      flight.promise.resolve(arrival)
    } else {
      flight.promise.resolve(.failure(.noAccount(account.name)))
    }
    if let next = account.next, let now = drawn?.now {
      account.next = nil
      if let error = account.issuersPause(at: now) {
        next.promise.resolve(.failure(error))
      } else {
        enqueue(next, at: now)
      }
    }
    if flying == 0 { landed?.resolve(.success(())) }
    look()
  }

  private func arrival(
    _ result: Result<LentToken, AuthError>, of account: Account, at now: ClockReading
  ) -> Result<Arrival, AuthError> {
    result.flatMap { token in
      guard token.remaining(at: now) > 0 else {
        return .failure(
          AuthError(
            .deadlineExceeded,
            "the \(account.kind) of '\(account.name)' returned a token that has expired; check this machine's clock"))
      }
      return .success(Arrival(token: token, now: now))
    }
  }

  private func take(_ token: LentToken, of account: Account, at now: ClockReading, _ unit: Double) {
    if account.anyToken()?.value != token.value { environment.callHook(account.name, token) }
    account.lend(token)
    account.fetched = now
    account.unit = unit
    account.failures = 0
    account.pause = nil
    account.ending = nil
    schedule(account, at: now)
  }

  /// Notes a failure. A terminal one ends the lending until a refresh succeeds; any other one begins a back-off.
  private func note(_ error: AuthError, of account: Account, at now: ClockReading, _ unit: Double) {
    account.failures += 1
    if error.code.endsSession {
      account.lend(nil)
      account.pause = nil
      due.remove(account)
      if account.ending == nil { environment.callHook(account.name, error) }
      account.ending = error
    } else if account.ending == nil {
      account.pause = Pause(
        cause: error, begin: now,
        seconds: RefreshPolicy.backOff(
          failures: account.failures, unit: unit, retryAfter: error.retryAfter, isUnsettled: error.isUnsettled),
        isServersWish: error.retryAfter != nil)
      schedule(account, at: now)
    }
  }
}

// MARK: - The schedule

extension AgentEngine {
  /// Begins to fetch and refresh ahead of time.
  func startInternal(at now: ClockReading) throws(AuthError) {
    if isClosed { throw .agentClosed }
    guard !isStarted else { return }
    isStarted = true
    for account in accounts.values.sorted(by: { $0.name < $1.name }) { schedule(account, at: now) }
    look()
  }

  /// Ends the flights that were not sent, and waits for the others.
  func closeInternal(timeout: Duration?) async throws(AuthError) {
    if !isClosed {
      isClosed = true
      atHand.close()
      cancelAlarm()
      let landed = Promise<Void, AuthError>()
      self.landed = landed
      for account in accounts.values {
        for flight in [account.current, account.next] {
          if let flight, !flight.isSent { flight.promise.resolve(.failure(.agentClosed)) }
        }
        account.next = nil
      }
      if flying == 0 { landed.resolve(.success(())) }
    }
    guard let landed else { return }
    let seconds = timeout?.inSeconds ?? environment.timeouts.call
    try await environment.time.wait(for: landed, "close", timeout: seconds, despiteClocks: true)
  }

  /// Sets the moment of an account's next fetch.
  private func schedule(_ account: Account, at now: ClockReading) {
    // A flight that waits for its permit keeps its turn.
    guard isStarted, account.ending == nil, account.current?.isSent ?? true else { return }
    due.insert(account, at: moment(of: account, at: now))
  }

  private func moment(of account: Account, at now: ClockReading) -> Double {
    if let pause = account.pause { return now.boot + max(pause.remaining(at: now), RefreshPolicy.shortestRetry) }
    guard let token = account.token else { return now.boot }
    // A source may return a token that it had before.
    let earliest = now.boot + account.shortestWait(at: now)
    return max(RefreshPolicy.alarm(for: token, unit: account.unit, now: now).boot, earliest)
  }

  /// Does what is due now, and sets the alarm for what is due next. Clocks are read off the work queue, so what happens
  /// meanwhile leads to one more look.
  private func look() {
    looksAgain = true
    guard !isLooking, !isClosed else { return }
    isLooking = true
    WorkQueue.begin {
      while self.looksAgain, !self.isClosed {
        self.looksAgain = false
        guard let now = await self.environment.draw()?.now, !self.isClosed else { break }
        self.doWhatIsDue(at: now)
      }
      self.isLooking = false
    }
  }

  private func doWhatIsDue(at now: ClockReading) {
    noteStep(at: now)
    while budget.nextPermit <= now.boot, let account = due.popReached(now.boot) {
      if account.current?.isSent == true { continue }  // its end schedules it again
      budget.take(at: now.boot)
      send(account.current ?? Flight(account))
    }
    setAlarm()
  }

  /// Notices that the wall clock was set: every moment in the heap depends on it.
  private func noteStep(at now: ClockReading) {
    let seen = now.wall - now.boot
    if let offset, abs(seen - offset) <= 1 { return }
    defer { offset = seen }
    guard offset != nil, isStarted else { return }
    for account in accounts.values { schedule(account, at: now) }
  }

  private func setAlarm() {
    guard let first = due.first else { return cancelAlarm() }
    // The wall clock may be set forward, past the moment at which the first account is due.
    let wall = offset.map { max(first, budget.nextPermit) + $0 }
    let time = Alarm(boot: max(first, budget.nextPermit), wall: wall)
    if alarm?.time == time { return }
    cancelAlarm()
    let handle = environment.time.at({ _ in time }) { [weak self] in
      self?.alarm = nil
      self?.look()
    }
    alarm = (time, handle)
  }

  private func cancelAlarm() {
    alarm?.handle.cancel()
    alarm = nil
  }
}
