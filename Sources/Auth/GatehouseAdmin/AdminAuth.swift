public import Dispatch
import Foundation
import GatehouseAsyncHTTP
import GatehouseBase
public import GatehouseHTTP
public import GatehouseJOSE
import GatehouseQueues
public import IdentityToolkit

/// Administers the users of a project, like Firebase's Admin SDKs. For servers only, never for clients.
///
///     let admin = AdminAuth(LocalBackend(directory: "accounts"))
///     let admin = AdminAuth(credential: .file("service-account.json"))
///
/// Asynchronous calls begin on Gatehouse's work queue at once, and are carried out in the background. The `async` forms
/// resume their caller directly; the completion forms are called exactly once, on the callback queue. Every call has a
/// deadline, `AdminOptions.timeout` unless the call sets its own, and returns at once when its caller is cancelled; a
/// change that was sent may still be carried out.
///
/// Usable from any thread. Keep it and share it: it keeps keys, access tokens and connections.
public final class AdminAuth: Sendable {
  /// The tenant whose users the calls administer; `nil` for the project itself.
  public let tenantID: String?
  private let environment: AdminEnvironment

  /// Administers a provider in this process, without a server or a credential.
  ///
  /// - Parameters:
  ///   - provider: the provider; a `LocalBackend` is one.
  ///   - options: the settings.
  ///   - callbackQueue: the queue on which completions are called.
  public convenience init(
    _ provider: some Backend & TokenAuthority, options: AdminOptions = AdminOptions(),
    callbackQueue: DispatchQueue = .main
  ) {
    let project = AuthorityProject(authority: provider, clocks: options.clocks)
    self.init(
      AdminDesk(backend: provider, project: project, clocks: options.clocks), options, on: callbackQueue)
  }

  /// Administers a project behind a server: Google's, or your own (`gate serve`).
  ///
  /// - Parameters:
  ///   - credential: the administrator's credential. It is read by the first call.
  ///   - options: the settings; `server` is the server that receives the calls.
  ///   - transport: carries the requests; by default `AsyncHTTPTransport`, which takes proxies from the environment. A
  ///     custom transport must allow plain HTTP if `AdminCredential.applicationDefault` is to use the metadata server
  ///     of a Google Cloud machine.
  ///   - callbackQueue: the queue on which completions are called.
  public convenience init(
    credential: AdminCredential, options: AdminOptions = AdminOptions(), transport: (any HTTPTransport)? = nil,
    callbackQueue: DispatchQueue = .main
  ) {
    let project = RemoteProject(
      credential, options, transport: transport ?? AsyncHTTPTransport(clocks: options.clocks),
      metadata: transport ?? AsyncHTTPTransport(clocks: options.clocks, allowsPlainHTTP: true))
    self.init(
      AdminDesk(backend: project.backend, project: project, clocks: options.clocks), options, on: callbackQueue)
  }

  private convenience init(_ desk: AdminDesk, _ options: AdminOptions, on queue: DispatchQueue) {
    self.init(AdminEnvironment(desk, callbacks: CallbackQueue(queue), timeout: options.timeout), tenantID: nil)
  }

  private init(_ environment: AdminEnvironment, tenantID: String?) {
    self.environment = environment
    self.tenantID = tenantID
  }

  /// Returns the same administrator for the users of one tenant. Does not wait for a queue.
  public func auth(forTenant tenantID: String) -> AdminAuth { AdminAuth(environment, tenantID: tenantID) }

  /// The same administrator for the project itself.
  var projectAuth: AdminAuth { AdminAuth(environment, tenantID: nil) }

  // MARK: Common to all calls

  /// Runs the `async` form of a call.
  func call<Value: Sendable>(
    timeout: Duration?, _ work: @escaping @Sendable (AdminDesk) async throws(AuthError) -> Value,
    name: StaticString = #function
  ) async throws(AuthError) -> Value {
    let result = await WorkQueue.result(of: { [environment, tenantID] () async throws(AuthError) in
      try await environment.perform(name, of: tenantID, timeout: timeout, work)
    })
    return try result.typed()
  }

  /// Runs the completion form of a call.
  func call<Value: Sendable>(
    timeout: Duration?, to completion: @escaping Completion<Value>,
    _ work: @escaping @Sendable (AdminDesk) async throws(AuthError) -> Value, name: StaticString = #function
  ) {
    environment.callbacks.deliver(to: completion, name) { [environment, tenantID] () async throws(AuthError) in
      try await environment.perform(name, of: tenantID, timeout: timeout, work)
    }
  }
}
