public import GatehouseBase
public import GatehouseHTTP
import GatehouseQueues
import GatehouseURLSession
public import IdentityToolkit

/// The calls over HTTP: to Google's Identity Platform, to its emulator, or to a server of one's own.
///
///     let auth = Auth(.init(backend: .identityPlatform(apiKey: "…")))
///
/// A call is sent once. Only where that can change nothing it is sent again after a failure, `RESTOptions.attempts`
/// times in all: a call that just asks, when no answer came or the server was unavailable; and any call that the server
/// has refused with 429, which means that it did nothing. Refreshes are the `Auth`'s to repeat. A call that may have
/// changed something goes on to its end, though its caller was cancelled: its answer may hold the only good tokens.
///
/// Usable from any thread. Keep it and share it: its transport keeps connections open.
public final class RESTBackend: Backend {
  private let apiKey: String
  private let options: RESTOptions
  private let transport: any HTTPTransport
  private let place: Lock<Place>

  private struct Place: Sendable {
    var server: RESTServer
    var wasAsked = false
  }

  /// - Parameters:
  ///   - apiKey: the project's key. It names the project and opens nothing, but is in no error and no log.
  ///   - options: the settings.
  ///   - transport: carries the requests; by default `URLSessionTransport`, which takes proxies from the environment.
  public init(apiKey: String, options: RESTOptions = RESTOptions(), transport: (any HTTPTransport)? = nil) {
    self.apiKey = apiKey
    self.options = options
    self.transport = transport ?? URLSessionTransport(clocks: options.clocks)
    place = Lock(Place(server: options.server))
  }

  /// Whether each refresh brings a new refresh token; see `RESTOptions.rotatesRefreshTokens`.
  public var rotatesRefreshTokens: Bool { options.rotatesRefreshTokens }

  /// Sends all calls to an emulator, or to `gate serve`: by plain HTTP, which transports allow to this machine only
  /// unless they are told otherwise.
  ///
  /// - Throws: `.operationNotAllowed` after the first call: a session of one server is none of another.
  public func useEmulator(withHost host: String, port: Int) throws(AuthError) {
    let wasAsked = place.withLock { place in
      if !place.wasAsked { place.server = RESTServer(url: "http://\(host):\(port)") }
      return place.wasAsked
    }
    guard !wasAsked else {
      throw AuthError(
        .operationNotAllowed, "useEmulator comes too late: a server was called before; call it first of all")
    }
  }

  /// Sends a call, and reads the answer. Called by `Auth`; any thread.
  ///
  /// - Throws: the server's refusal; `.networkError` when it cannot be reached or is unavailable, with `retryAfter`
  ///   where it says how long; `.responseInvalid` for an answer that is none of the protocol's;
  ///   `.operationNotAllowed` for a call that the server does not know; what the transport throws.
  public func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    let question = try Question(call, to: serverToAsk(), apiKey: apiKey, options)
    var attempt = 1
    while true {
      let outcome = await send(question.request, toTheEnd: !C.isReadOnly)
      let now = options.clocks.now()
      guard attempt < options.attempts, let pause = pause(after: outcome, of: C.self, attempt, at: now.wall) else {
        return try Answer(try outcome.get(), email: question.email, at: now.wall).read(as: C.self)
      }
      attempt += 1
      await options.clocks.sleep(until: Alarm(boot: now.boot + pause))
      if Task.isCancelled { throw .cancelled }
    }
  }

  private func serverToAsk() -> RESTServer {
    place.withLock { place in
      place.wasAsked = true
      return place.server
    }
  }

  /// How long to wait before the call is sent again, in seconds: full jitter, and no less than the server asks. `nil`
  /// where it must not be sent again, or the server asks for more than a caller would wait.
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

  /// In seconds.
  private static let longestPause = 5.0

  /// Sends a request; to the end where its effect must be known, whatever becomes of the caller.
  private func send(
    _ request: TransportRequest, toTheEnd: Bool
  ) async -> Result<TransportResponse, AuthError> {
    let transport = transport
    guard toTheEnd else {
      return await outcome { () throws(AuthError) in try await transport.send(request) }
    }
    return await withCheckedContinuation { caller in
      _ = Background.start {
        caller.resume(returning: await outcome { () throws(AuthError) in try await transport.send(request) })
      }
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
