import GatehouseAgent
import GatehouseAgentServer
import GatehouseBase

/// The files into which the daemon writes tokens. One task has their state; what happens reaches it in order.
final class AgentTokenFiles: Sendable {
  private enum Event: Sendable {
    case settings([String: TokenFileSettings], Agent)
    case token(LentToken, account: String)
    case noToken(account: String)
    case look
  }

  private let continuation: AsyncStream<Event>.Continuation
  private let writer: Task<Void, Never>

  init() {
    let (events, continuation) = AsyncStream<Event>.makeStream()
    self.continuation = continuation
    writer = Task { await Self.write(events, continuation) }
  }

  /// Replaces the settings. A new file gets the account's token at hand, or its next one.
  func apply(_ settings: AgentSettings, of agent: Agent) { continuation.yield(.settings(settings.files, agent)) }

  /// Writes a token into the account's file, if it has one.
  func put(_ token: LentToken, of account: String) { continuation.yield(.token(token, account: account)) }

  /// Leaves an account's file alone until the account has a new token: it was removed, or needs a person.
  func forgetToken(of account: String) { continuation.yield(.noToken(account: account)) }

  /// Waits until what has come is written, and the commands that run have ended.
  func finish() async {
    continuation.finish()
    await writer.value
  }

  // MARK: The task

  /// One account's file.
  private struct Place {
    let settings: TokenFileSettings
    let file: TokenFile
    let command: ChangeCommand?
    var last: LentToken?

    init(_ settings: TokenFileSettings, of account: String) {
      self.settings = settings
      let file = TokenFile(settings.path, isPatient: true)
      self.file = file
      command = settings.onChange.map {
        ChangeCommand($0, name: "the command files.\(account).onChange", tokenFile: file.path)
      }
    }

    /// Writes a token, unless it is older than the one that was written last.
    mutating func put(_ token: LentToken) {
      if let last, last.received.boot > token.received.boot || last.value == token.value { return }
      last = token
      // A patient file throws nothing: it says what is wrong, and tries again.
      if (try? file.put(token.value.revealed)) == true { command?.isDue() }
    }

    mutating func forgetToken() {
      last = nil
      file.forget()
    }

    func look() {
      if file.look() { command?.isDue() }
      command?.look()
    }
  }

  private static func write(_ events: AsyncStream<Event>, _ continuation: AsyncStream<Event>.Continuation) async {
    var places: [String: Place] = [:]
    var clock: Task<Void, any Error>?
    for await event in events {
      switch event {
      case .settings(let files, let agent):
        for (account, place) in places where files[account] != place.settings {
          places[account] = nil
          await place.command?.finish(startingDue: false)
        }
        for (account, settings) in files where places[account] == nil {
          places[account] = Place(settings, of: account)
          Task { await bring(account, from: agent, continuation) }
        }
        clock?.cancel()
        clock = places.isEmpty ? nil : ticks(continuation)
      case .token(let token, let account): places[account]?.put(token)
      case .noToken(let account): places[account]?.forgetToken()
      case .look: for place in places.values { place.look() }
      }
    }
    clock?.cancel()
    for place in places.values { await place.command?.finish(startingDue: true) }
  }

  private static func bring(
    _ account: String, from agent: Agent, _ continuation: AsyncStream<Event>.Continuation
  ) async {
    do {
      continuation.yield(.token(try await agent.token(of: account, minValidity: .zero), account: account))
    } catch let error as AuthError where error.code == .accountUnknown {
      StandardError.say("files.\(account.shown): there is no such account yet; make it: gate agent login")
    } catch {
      // The account's state has the reason, and its next token is written.
    }
  }

  /// Has each file looked at once a second.
  private static func ticks(_ continuation: AsyncStream<Event>.Continuation) -> Task<Void, any Error> {
    Task {
      while true {
        try await Task.sleep(for: .seconds(1), tolerance: .milliseconds(200))
        continuation.yield(.look)
      }
    }
  }
}
