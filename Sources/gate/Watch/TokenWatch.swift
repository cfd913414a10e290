import Foundation
import Gatehouse
import GatehouseBase
import GatehouseJOSE
import GatehouseLocal
import GatehouseQueues
import GatehouseSystem
import Logging

/// Follows a home's session and hands out each fresh token.
///
///     what happens                                  then
///     a fresh token comes                           it is handed out, and the command runs
///     the same user signs in elsewhere              the new session is followed
///     another user signs in                         the watch ends: that user's token does not belong here
///     a sign-out, or the provider's refusal         the watch ends: a person must sign in
///     a sign-in with another backend                the watch ends, as after a sign-out
///     the home or its provider is moved away        the present token stays; the watch continues when it is back
///     a signal comes, or the reader is gone         the watch ends
///
/// A round follows one session with one provider. The engine refreshes ahead of expiry and waits longer after each
/// failure; its log goes to standard error. An error before the first token ends the watch. After a later error it
/// tries again.
final class TokenWatch {
  private enum End {
    case asked, readerGone
    case failed(AuthError)
  }
  private enum Next {
    case end(End)
    /// Another round begins, with what is in the home now.
    case round
    /// The provider cannot be reached. The text says what is wrong, and what to do.
    case wait(String)
  }

  private let home: Home
  private let place: TokenPlace
  private let command: ChangeCommand?
  private let events: AsyncStream<WatchEvent>
  private let continuation: AsyncStream<WatchEvent>.Continuation
  private var round = 0
  /// The user whose tokens are handed out: the user of the first round.
  private var user: (uid: String, line: String)?
  /// The token that was handed out last.
  private var last: String?
  private var isAsked = false

  private static let longestPause = 30
  /// How long the session and the provider may take to close, in seconds, after the watch was asked to end.
  private static let patience = 5

  init(_ home: Home, _ place: TokenPlace, _ command: ChangeCommand?) {
    self.home = home
    self.place = place
    self.command = command
    (events, continuation) = AsyncStream.makeStream()
  }

  /// Runs until a signal arrives or the reader is gone, and returns the program's exit status.
  ///
  /// - Throws: the reason why the watch could not begin, or why a person must sign in.
  func run() async throws(AuthError) -> Int32 {
    StandardError.waitForNoReader()
    defer { StandardError.finish() }
    let ending = Once()
    let signals = EndSignals { [continuation, command] in
      continuation.yield(.stop)
      Task {
        try await Task.sleep(for: .seconds(Self.patience))
        // Another program has locked the accounts or the session. Nothing is lost: a token that has not been written
        // yet was never handed out.
        guard ending.isFirst() else { return }
        await command?.finish(startingDue: false)
        StandardError.finish()
        CurrentProcess.exit(ExitStatus.done)
      }
    } again: { [command] _ in
      command?.end(with: .terminate)
      return true
    }
    defer { signals.cancel() }
    let looks = Task { [continuation] in
      while true {
        try await Task.sleep(for: .seconds(1), tolerance: .milliseconds(200))
        continuation.yield(.look)
      }
    }
    defer { looks.cancel() }
    if case .standardOutput = place { watchReader() }
    let end: End
    do throws(AuthError) { end = try await rounds() } catch { end = .failed(error) }
    // If the task above was first, it ends the program.
    if !ending.isFirst() { await Self.forever() }
    // The running command gets time to end. Another signal ends this wait.
    signals.endAtNext()
    if case .failed = end {
      await command?.finish(startingDue: !isAsked)
    } else {
      await command?.finish(startingDue: false)
    }
    switch end {
    case .asked: return ExitStatus.done
    case .readerGone: return ExitStatus.readerGone
    case .failed(let error): throw error
    }
  }

  private static func forever() async {
    while true { try? await Task.sleep(for: .seconds(3600)) }
  }

  /// Waits on a thread of its own until the reader is gone, which may be long before the next token.
  private func watchReader() {
    Thread.detachNewThread { [continuation] in
      if (try? InheritedDescriptor.output.waitForEndOfReader()) != nil { continuation.yield(.readerGone) }
    }
  }

  // MARK: Rounds

  private func rounds() async throws(AuthError) -> End {
    var failures = 0
    while true {
      do throws(AuthError) {
        switch try await followSession() {
        case .end(let end): return end
        case .round: failures = 0
        case .wait(let reason):
          StandardError.say(reason + validity)
          if let end = await waitForProvider() { return end }
          StandardError.say("the identity provider in \(home.provider) is there again, and the watch goes on")
          failures = 0
        }
      } catch {
        // While the home is gone, there is no session either.
        let isOver = error.needsSignIn && HomeView.hasProvider(home)
        guard last != nil, !isAsked, !isOver else { throw error }
        if failures == 0 { StandardError.say("\(error); the watch tries again\(validity)") }
        failures += 1
        if let end = await pause(forLooks: min(1 << min(failures - 1, 5), Self.longestPause)) { return end }
      }
    }
  }

  /// Follows the session for one round.
  private func followSession() async throws(AuthError) -> Next {
    round += 1
    var view = try await HomeView(home)
    guard home.server == nil else { return try await follow(&view) }
    return try await home.withProvider { holder throws(AuthError) in
      // The session's own backend opens the folder at the first refresh. From here on no restored copy can replace the
      // folder. If something is wrong with it, that refresh reports it.
      try? await holder.open()
      return try await follow(&view)
    }
  }

  private func follow(_ view: inout HomeView) async throws(AuthError) -> Next {
    try await home.withSession(refreshesAutomatically: true, logger: .watch) { auth throws(AuthError) in
      try admit(try await auth.requireUser())
      try home.requireProvider()
      let tokens = feed(auth)
      defer { tokens.cancel() }
      // The engine and the view notice the end of a session in either order, and only the engine knows the reason.
      var (isEnded, isGone) = (false, false)
      for await event in events {
        if let end = common(event) { return .end(end) }
        switch event {
        case .token(let token, let round) where round == self.round:
          if let end = handOut(token) { return .end(end) }
        case .sessionEnded(let round) where round == self.round: isEnded = true
        case .look:
          if let next = next(after: view.providerChange) { return next }
          let wasGone = isGone
          switch await view.sessionChange() {
          case .renewed: return .round
          case .ofAnotherUser(let name): throw anotherUser(name)
          case .ended: isGone = true
          case nil: break
          }
          if isEnded || wasGone { throw sessionEnded(auth.state) }
        default: break
        }
      }
      return .end(.asked)
    }
  }

  /// Yields the tokens of one round, and then the end of its session.
  private func feed(_ auth: Auth) -> Task<Void, Never> {
    Task { [continuation, round] in
      for await user in auth.idTokenChanges {
        guard let user else { break }
        do throws(AuthError) {
          continuation.yield(.token(try await user.tokenToHandOut(), round: round))
        } catch {
          // The engine tries again, or the next change has the reason why it does not. The end of a round cancels this
          // task, and closes both `auth` and the provider.
          if !Task.isCancelled, error.code != .closed, auth.state != .closed {
            Logger.watch.warning("no fresh token yet: \(error)")
          }
        }
      }
      continuation.yield(.sessionEnded(round: round))
    }
  }

  /// Returns the end that an event leads to, whether it comes during a round or between rounds; `nil` if it leads to
  /// none.
  private func common(_ event: WatchEvent) -> End? {
    switch event {
    case .stop:
      isAsked = true
      return .asked
    case .readerGone: return .readerGone
    case .look:
      if place.look() { command?.isDue() }
      command?.look()
      return nil
    case .written(.success):
      command?.isDue()
      return nil
    case .written(.failure(let error)): return error == StandardOutput.readerGone ? .readerGone : .failed(error)
    case .token, .sessionEnded: return nil
    }
  }

  private func handOut(_ token: String) -> End? {
    guard token != last else { return nil }
    do throws(AuthError) {
      let outcome = try place.put(token) { [continuation] in continuation.yield(.written($0)) }
      if outcome == .done { command?.isDue() }
    } catch {
      return .failed(error)
    }
    last = token
    return nil
  }

  private func next(after change: HomeView.ProviderChange?) -> Next? {
    switch change {
    case .gone(let reason): return .wait(reason)
    case .replaced:
      StandardError.say("another identity provider is in \(home.provider), and the watch goes on with that one")
      return .round
    case nil: return nil
    }
  }

  // MARK: Between rounds

  /// Waits until the provider and the session exist again. A copied folder arrives file by file, so the session gets a
  /// few more seconds.
  private func waitForProvider() async -> End? {
    var looksForSession = 5
    for await event in events {
      if let end = common(event) { return end }
      guard case .look = event, HomeView.hasProvider(home) else { continue }
      if HomeView.hasSession(home) || looksForSession == 0 { return nil }
      looksForSession -= 1
    }
    return .asked
  }

  private func pause(forLooks count: Int) async -> End? {
    var left = count
    for await event in events {
      if let end = common(event) { return end }
      guard case .look = event else { continue }
      left -= 1
      if left <= 0 { return nil }
    }
    return .asked
  }

  // MARK: Words

  private func admit(_ user: User) throws(AuthError) {
    guard let first = self.user else { return self.user = (user.uid, user.line) }
    guard user.uid.isExactly(first.uid) else { throw anotherUser(user.line) }
  }

  private func anotherUser(_ name: String) -> AuthError {
    AuthError(
      .sessionEnded,
      "another user signed in: \(name); this watch hands out the tokens of \(user?.line ?? "one user") only; "
        + "start it again for the other user's")
  }

  private func sessionEnded(_ state: AuthState) -> AuthError {
    var reason: AuthError?
    if case .signedOut(let error) = state { reason = error }
    return AuthError(
      reason?.code ?? .sessionEnded,
      "the session has ended (\(reason?.message ?? "another process signed this user out")); "
        + "sign in again: gate sign-in EMAIL")
  }

  /// How long the present token is valid, for a message about a failure.
  private var validity: String {
    guard let last, let expiry = try? TokenAnatomy(last).claims?["exp"], let moment = Moment(expiry) else {
      return ""
    }
    let now = Date().timeIntervalSince1970
    guard moment.seconds > now else { return "; the token at hand has expired" }
    return "; the token at hand is good until \(moment.text(seenAt: now))"
  }
}
