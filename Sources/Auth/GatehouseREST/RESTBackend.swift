import GatehouseAsyncHTTP
public import GatehouseBase
public import GatehouseHTTP
import GatehouseQueues
public import IdentityToolkit

/// Sends the calls over HTTP to Google's Identity Platform, to its emulator, or to your own server.
///
///     let auth = Auth(.init(backend: .identityPlatform(apiKey: "…")))
///
/// A call is normally sent once. After a failure it is only retried if that is safe, up to `RESTOptions.attempts`
/// attempts in total: a read-only call, if no answer arrived or the server was unavailable; and any call that the
/// server refused with 429, which means that it did nothing. Refreshes are retried by the `Auth`. A call that may have
/// changed something runs to its end even if its caller is cancelled: its answer may hold the only valid tokens.
///
/// Usable from any thread. Keep it and share it: its transport keeps connections open.
public final class RESTBackend: Backend {
  private let caller: Caller
  private let options: RESTOptions
  private let transport: any HTTPTransport
  private let place: Lock<Place>

  private struct Place: Sendable {
    var server: RESTServer
    var device: Secret?
    var wasAsked = false
  }

  private enum Caller: Sendable {
    case app(key: String)
    case administrator(any AdministratorAuthorization)
  }

  /// - Parameters:
  ///   - apiKey: the project's key. It identifies the project and grants no access; still, it appears in no error and
  ///     no log.
  ///   - options: the settings.
  ///   - transport: carries the requests; by default `AsyncHTTPTransport`, which takes proxies from the environment.
  public convenience init(
    apiKey: String, options: RESTOptions = RESTOptions(), transport: (any HTTPTransport)? = nil
  ) {
    self.init(.app(key: apiKey), options, transport)
  }

  /// Makes a backend for the calls of an administrator.
  package convenience init(
    administrator: any AdministratorAuthorization, options: RESTOptions, transport: any HTTPTransport
  ) {
    self.init(.administrator(administrator), options, transport)
  }

  private init(_ caller: Caller, _ options: RESTOptions, _ transport: (any HTTPTransport)?) {
    self.caller = caller
    self.options = options
    self.transport = transport ?? AsyncHTTPTransport(clocks: options.clocks)
    place = Lock(Place(server: options.server, device: options.device.flatMap { DeviceField.cookie($0.revealed) }))
  }

  /// The cookie of this device, which a Gatehouse server sends with the answer to a sign-in; `nil` if it has sent none.
  /// Keep it, also through sign-outs, and give it to the next `RESTOptions.device`. Usable from any thread.
  public var device: Secret? { place.withLock { $0.device } }

  /// Whether each refresh issues a new refresh token; see `RESTOptions.rotatesRefreshTokens`.
  public var rotatesRefreshTokens: Bool { options.rotatesRefreshTokens }

  /// Whether the calls go to an emulator; see `RESTServer.isEmulator`.
  public var isEmulator: Bool { place.withLock { $0.server.isEmulator } }

  /// Sends all calls to an emulator, or to `gate serve`, over plain HTTP, which transports allow only to this machine
  /// unless they are configured otherwise.
  ///
  /// - Throws: `.operationNotAllowed` after the first call, because a session of one server is not valid at another.
  public func useEmulator(withHost host: String, port: Int) throws {
    let wasAsked = place.withLock { place in
      if !place.wasAsked { place = Place(server: .emulator(host: host, port: port)) }
      return place.wasAsked
    }
    guard !wasAsked else {
      throw AuthError(
        .operationNotAllowed, "useEmulator comes too late: a server was called before; call it first of all")
    }
  }

  /// Sends a call, and reads the answer. Called by `Auth`, from any thread.
  ///
  /// - Throws: The server's refusal; `.networkError` if it cannot be reached or is unavailable, with `retryAfter` if
  ///   the server sends it; `.responseInvalid` for an answer outside of the protocol; `.operationNotAllowed` for a call
  ///   that the server does not support; the transport's errors.
  public func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    switch caller {
    case .app(let key): return try await answer(call, from: .app(key: key)).read(to: call)
    case .administrator(let administrator):
      let first = try await administrator.authorization()
      let answer = try await answer(call, from: .administrator(projectID: first.projectID, token: first.token))
      guard answer.refusesAuthorization else { return try answer.read(to: call) }
      // The server did nothing. It may have new keys, or the token was from before a restart of the server.
      await administrator.refused(first.token)
      let next = try await administrator.authorization()
      let last = try await self.answer(call, from: .administrator(projectID: next.projectID, token: next.token))
      guard !last.refusesAuthorization else {
        throw AuthError(
          .adminRestrictedOperation,
          "the server does not take the administrator's credential; make a new one at this server")
      }
      return try last.read(to: call)
    }
  }

  private func answer<C: Call>(_ call: C, from sender: Sender) async throws(AuthError) -> Answer {
    let place = placeToAsk()
    let question = try Question(call, to: place.server, on: place.device, from: sender, options)
    var attempt = 1
    while true {
      let outcome = await send(question.request, toTheEnd: !C.isReadOnly)
      let now = options.clocks.now()
      guard attempt < options.attempts, let pause = pause(after: outcome, of: C.self, attempt, at: now.wall) else {
        let response = try outcome.typed()
        keepDevice(of: response)
        return Answer(response, email: question.email, at: now.wall)
      }
      attempt += 1
      await options.clocks.sleep(until: Alarm(boot: now.boot + pause))
      if Task.isCancelled { throw .cancelled }
    }
  }

  private func placeToAsk() -> Place {
    place.withLock { place in
      place.wasAsked = true
      return place
    }
  }

  private func keepDevice(of response: TransportResponse) {
    guard case .app = caller, let cookie = response.headers[DeviceField.name].flatMap(DeviceField.cookie) else {
      return
    }
    place.withLock { $0.device = cookie }
  }

  /// Returns the time to wait before the call is retried, in seconds: full jitter, and at least the server's
  /// `Retry-After`. `nil` if the call must not be retried, or the server asks for more than a caller would wait.
  private func pause<C: Call>(
    after outcome: Result<TransportResponse, AuthError>, of call: C.Type, _ attempt: Int, at now: Double
  ) -> Double? {
    var wish = 0.0
    switch outcome {
    case .failure(let error): guard C.isReadOnly, error.code == .networkError else { return nil }
    case .success(let response):
      guard let unavailability = response.unavailability(at: now), C.isReadOnly || response.status == 429 else {
        return nil
      }
      wish = unavailability.retryAfter?.inSeconds ?? 0
    }
    guard wish <= Self.longestPause else { return nil }
    return max(options.random.unit() * min(Double(1 << min(attempt, 10)) / 4, Self.longestPause), wish)
  }

  /// The maximum time to wait before a retry, in seconds.
  private static let longestPause = 5.0

  /// Sends a request. If its effect must be known, it runs to its end even if the caller is cancelled.
  private func send(
    _ request: TransportRequest, toTheEnd: Bool
  ) async -> Result<TransportResponse, AuthError> {
    let transport = transport
    guard toTheEnd else {
      return await outcome { () throws(AuthError) in try await transport.send(request) }
    }
    return await Background.runToTheEnd {
      await outcome { () throws(AuthError) in try await transport.send(request) }
    }
  }
}

extension Backend where Self == RESTBackend {
  /// Google's Identity Platform, which Firebase Auth is a part of; or the server that `RESTOptions.server` names.
  public static func identityPlatform(
    apiKey: String, options: RESTOptions = RESTOptions(), transport: (any HTTPTransport)? = nil
  ) -> RESTBackend {
    RESTBackend(apiKey: apiKey, options: options, transport: transport)
  }
}
