public import Dispatch
import Foundation
public import GatehouseBase
import GatehouseHTTP
import GatehouseQueues
import GatehouseSystem

/// Asks the token daemon of this machine, `gate agent`, for tokens.
///
///     let agent = AgentClient()
///     let token = try await agent.token(of: "mail", minValidity: .seconds(120))
///     request.headers["Authorization"] = "Bearer \(token.value.revealed)"
///
/// It keeps no token and no connection: each call asks the daemon, which has the token in memory. Usable from any
/// thread. The calls are carried out on Gatehouse's own threads; the `async` forms resume their caller directly, and
/// the completion forms are called exactly once, on the callback queue. Public calls throw `AuthError`, and nothing
/// else.
public final class AgentClient: Sendable {
  private let socket: String?
  private let timeout: Duration
  private let clocks: any Clocks
  private let completions: Completions
  private let threads = PoolShare(width: 4)

  /// Makes a client. Nothing is connected before the first call.
  ///
  /// - Parameters:
  ///   - socket: the path of the daemon's socket; `nil` to look it up at each call: `GATEHOUSE_AGENT_SOCKET`, else
  ///     `agent/agent.socket` in `GATEHOUSE_HOME`, else `gatehouse/agent.socket` in `XDG_RUNTIME_DIR`, else
  ///     `gatehouse/agent/agent.socket` in `XDG_STATE_HOME` or `~/.local/state`.
  ///   - timeout: the maximum duration of a call. The daemon itself waits for an issuer for 30 seconds.
  ///   - clocks: the clocks that measure the tokens' lives.
  ///   - callbackQueue: the queue on which completions are called.
  public init(
    socket: String? = nil, timeout: Duration = .seconds(35), clocks: any Clocks = SystemClocks(),
    callbackQueue: DispatchQueue = .main
  ) {
    self.socket = socket
    self.timeout = timeout
    self.clocks = clocks
    completions = Completions(on: callbackQueue)
  }

  /// Returns a token of an account that lasts longer than `minValidity`. The daemon waits for a new one if it has none.
  ///
  /// - Parameters:
  ///   - name: the account's name.
  ///   - minValidity: how long the token must last, in whole seconds, rounded up.
  /// - Throws: `.networkError` if no daemon listens; `.operationNotAllowed` if its rules do not let this program ask;
  ///   the daemon's error, for example `.accountUnknown`, or `.userTokenExpired` if a person must sign in; with
  ///   `retryAfter` while it backs off; `.deadlineExceeded`, `.cancelled`.
  public func token(of name: String, minValidity: Duration = .seconds(30)) async throws -> LentToken {
    let seconds = Int64(min(max(minValidity.inSeconds, 0), 1e9).rounded(.up))
    return try await lentToken("GET", "/v1/accounts/\(FormEncoding.escaped(name))/token?minValidity=\(seconds)")
  }

  /// Returns a token of an account that lasts longer than `minValidity`.
  public func token(
    of name: String, minValidity: Duration = .seconds(30),
    @_inheritActorContext completion: @escaping Completion<LentToken>
  ) {
    completions.deliver(to: completion) { [self] () throws(AuthError) in
      try await typed { try await token(of: name, minValidity: minValidity) }
    }
  }

  /// Has the daemon fetch a new token of an account, and returns it. Ends a wait for a person: call it after a sign-in.
  ///
  /// - Parameter name: the account's name.
  /// - Throws: as `token(of:minValidity:)`.
  @discardableResult
  public func refresh(_ name: String) async throws -> LentToken {
    try await lentToken("POST", "/v1/accounts/\(FormEncoding.escaped(name))/refresh")
  }

  /// Has the daemon fetch a new token of an account, and returns it.
  public func refresh(_ name: String, @_inheritActorContext completion: @escaping Completion<LentToken>) {
    completions.deliver(to: completion) { [self] () throws(AuthError) in
      try await typed { try await refresh(name) }
    }
  }

  /// Sends a request, and returns the JSON object of its answer.
  package func answer(_ method: String, _ target: String) async throws(AuthError) -> JSONObject {
    guard !Task.isCancelled else { throw .cancelled }
    return try await Background.run(on: threads) { [socket, timeout] () throws(AuthError) in
      let path: String
      if let socket { path = socket } else { path = try AgentSocket.path(variable: AgentSocket.environment) }
      let bytes: [UInt8]?
      do throws(SystemError) {
        let stream = try UnixStream(path, patience: timeout.inSeconds)
        try stream.send(Array("\(method) \(target) HTTP/1.1\r\nHost: agent\r\nConnection: close\r\n\r\n".utf8))
        bytes = try stream.receiveAll(limit: Self.limit)
      } catch { throw Self.failure(error, at: path, timeout) }
      guard let bytes else {
        throw AuthError(.responseInvalid, "the agent's answer is longer than \(Self.limit) bytes")
      }
      return try AgentAnswer(bytes).value()
    }
  }

  /// The maximum length of an answer, in bytes: that of some 50,000 accounts' states.
  private static let limit = 16 << 20

  private func lentToken(_ method: String, _ target: String) async throws -> LentToken {
    // Read before the request: the life that the daemon reports began before its answer arrived.
    let now = clocks.now()
    let json = try await answer(method, target)
    guard let token = json["token"]?.string, let life = json["expiresIn"]?.double else {
      throw AuthError(.responseInvalid, "the agent's answer has no token; is its version this program's?")
    }
    return LentToken(Secret(token), lifetime: Duration(seconds: life), received: now)
  }

  private static func failure(_ error: SystemError, at path: String, _ timeout: Duration) -> AuthError {
    let path = path.printable(upTo: 256)
    return switch error.number {
    case .noSuchFile, .connectionRefused:
      AuthError(.networkError, "no agent listens at \(path); start one: gate agent")
    case .accessDenied:
      AuthError(.operationNotAllowed, "the agent's socket \(path) is not open to this user")
    case .timedOut:
      AuthError.deadlineExceeded("the call to the agent", after: timeout.inSeconds)
    default: AuthError(.networkError, "the agent could not be asked: \(error)")
    }
  }
}
