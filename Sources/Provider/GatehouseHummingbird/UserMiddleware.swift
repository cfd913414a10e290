import GatehouseBase
import GatehouseHTTP
public import GatehouseJOSE
import HTTPTypes
public import Hummingbird
import Logging
import NIOCore

/// A context of Hummingbird's that has the request's user.
public protocol UserRequestContext: RequestContext {
  /// The user whose credential a `UserMiddleware` has verified; `nil` before it, and for a request without one.
  var user: AuthenticatedUser? { get set }
}

/// A context with the request's user, and nothing else of its own.
public struct BasicUserRequestContext: UserRequestContext {
  /// What Hummingbird keeps of every request.
  public var coreContext: CoreRequestContextStorage
  /// The user whose credential a `UserMiddleware` has verified.
  public var user: AuthenticatedUser?

  /// Hummingbird makes one for each request.
  ///
  /// - Parameter source: the request's source.
  public init(source: ApplicationRequestContextSource) { coreContext = CoreRequestContextStorage(source: source) }
}

/// Lets only requests with a user through, and puts the user into the request's context.
///
/// A thin adapter of `RequestAuthenticator`, which says what is taken. Others are refused with 401, 400 or 403 and
/// their challenges; when the keys cannot be had, with 503. Why is in the request's log, at the level `debug`, and
/// never holds a token.
public struct UserMiddleware<Context: UserRequestContext>: RouterMiddleware {
  private let authenticator: RequestAuthenticator
  private let isOptional: Bool

  /// - Parameters:
  ///   - authenticator: finds the request's user.
  ///   - isOptional: whether requests that show no credential come through, without a user. A credential that is bad
  ///     is refused nevertheless.
  public init(_ authenticator: RequestAuthenticator, isOptional: Bool = false) {
    self.authenticator = authenticator
    self.isOptional = isOptional
  }

  /// Answers a request, or hands it on.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - context: its context.
  ///   - next: answers requests that come through.
  public func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    var context = context
    let authentication: Authentication
    do throws(AuthError) {
      authentication = try await authenticator.authenticate(
        request.method.rawValue, request.head.path ?? "", headers: TransportHeaders(request))
    } catch {
      context.logger.error("a request's user cannot be found: \(error)")
      return Response(status: error.code == .replayShareFull ? .tooManyRequests : .serviceUnavailable)
    }
    switch authentication {
    case .user(let user):
      context.user = user
      var response = try await next(request, context)
      response.headers.add(user.responseHeaders)
      return response
    case .refused(let refusal) where refusal.reason == .missing && isOptional:
      return try await next(request, context)
    case .refused(let refusal):
      context.logger.debug("refused with \(refusal): \(refusal.cause.map { "\($0)" } ?? "no credential")")
      var response = Response(
        status: .init(code: refusal.status), body: .init(byteBuffer: ByteBuffer(bytes: refusal.body)))
      response.headers.add(refusal.headers)
      return response
    }
  }
}

extension TransportHeaders {
  /// The header fields of a request. HTTP/2 has the host apart from them, and so has Hummingbird.
  fileprivate init(_ request: Request) {
    self.init()
    if let host = request.head.authority { add("Host", host) }
    for field in request.headers { add(field.name.rawName, field.value) }
  }
}

extension HTTPFields {
  fileprivate mutating func add(_ headers: TransportHeaders) {
    for field in headers.fields {
      guard let name = HTTPField.Name(field.name) else { continue }
      append(HTTPField(name: name, value: field.value))
    }
  }
}
