import GatehouseBase
public import GatehouseHTTP

/// The contract of `HTTPTransport`, as checks that a test runs on an implementation:
///
///     @Test(arguments: HTTPTransportContract.all)
///     func `my transport keeps the contract`(_ check: HTTPTransportContract.Check) async throws {
///       try await check.run { stage with my transport and a server that it can reach }
///     }
///
/// A check throws `Violation` if the contract is broken. No test framework is imported; see `CredentialStoreContract`.
public enum HTTPTransportContract {
  /// A sentence of the contract that a transport broke.
  public struct Violation: Error, Sendable, CustomStringConvertible {
    /// The expected and the actual behavior.
    public let description: String
  }

  /// A server's reaction to a request.
  public enum Behavior: Sendable {
    /// Answers with a status, headers and a body.
    case answers(Int, headers: TransportHeaders = [:], body: [UInt8] = [])
    /// Does not answer, as long as the connection lasts.
    case isSilent
  }

  /// A transport, and the servers that it can reach.
  public struct Stage: Sendable {
    let transport: any HTTPTransport
    let clocks: ManualClocks
    let serve: @Sendable (_ path: String, Behavior) -> String
    let serveElsewhere: @Sendable (_ path: String, Behavior) -> String
    let received: @Sendable () -> [TransportRequest]
    let vacantURL: String

    /// - Parameters:
    ///   - transport: the transport to check.
    ///   - clocks: the clocks that measure the transport's timeouts.
    ///   - serve: sets a server's behavior at a path from now on, and returns the whole URL.
    ///   - serveElsewhere: the same with another server, on another port or host.
    ///   - received: the requests that the first server received, in order, redirected ones at least once.
    ///   - vacantURL: a URL at which there is no server.
    public init(
      transport: any HTTPTransport, clocks: ManualClocks,
      serve: @escaping @Sendable (_ path: String, Behavior) -> String,
      serveElsewhere: @escaping @Sendable (_ path: String, Behavior) -> String,
      received: @escaping @Sendable () -> [TransportRequest], vacantURL: String
    ) {
      self.transport = transport
      self.clocks = clocks
      self.serve = serve
      self.serveElsewhere = serveElsewhere
      self.received = received
      self.vacantURL = vacantURL
    }
  }

  /// One sentence of the contract.
  public struct Check: Sendable, CustomStringConvertible {
    /// The sentence.
    public let name: String
    let body: @Sendable (Stage) async throws -> Void

    public var description: String { name }

    /// Runs the check on a new stage.
    public func run(_ make: () async throws -> Stage) async throws { try await body(try await make()) }
  }
}

// MARK: The parts of the checks

extension HTTPTransportContract.Stage {
  /// Returns the outcome of a request: an answer or an error.
  func outcome(of request: TransportRequest) async -> Result<TransportResponse, AuthError> {
    do throws(AuthError) { return .success(try await transport.send(request)) } catch { return .failure(error) }
  }

  func expectAnswer(
    to request: TransportRequest, _ status: Int, _ body: [UInt8], _ what: String
  ) async throws -> TransportResponse {
    switch await outcome(of: request) {
    case .success(let response) where response.status == status && response.body == body: return response
    case let other: throw HTTPTransportContract.Violation(description: "\(what) came to \(other)")
    }
  }

  func expectRefusal(of request: TransportRequest, _ code: AuthError.Code, _ what: String) async throws {
    try Self.expect(await outcome(of: request), code, what)
  }

  /// Waits until an alarm is set that rings in `seconds`, or the request has ended without one.
  func waitForSleeper(of seconds: Double, orEndOf request: Task<Result<TransportResponse, AuthError>, Never>) async {
    let asleep = Task { await clocks.waitForSleeper(of: seconds) }
    let end = Task {
      _ = await request.value
      asleep.cancel()
    }
    await asleep.value
    end.cancel()
  }

  static func expect(
    _ outcome: Result<TransportResponse, AuthError>, _ code: AuthError.Code, _ what: String
  ) throws {
    if case .failure(let error) = outcome, error.code == code { return }
    throw HTTPTransportContract.Violation(description: "\(what) should be refused with \(code), and came to \(outcome)")
  }

  static func expect(_ holds: Bool, _ what: String) throws {
    if !holds { throw HTTPTransportContract.Violation(description: what) }
  }
}
