import GatehouseBase
import GatehouseHTTP
public import GatehouseJOSE
import HTTPTypes
public import Hummingbird
import Logging
import NIOCore

/// A Hummingbird request context with the request's user.
public protocol UserRequestContext: RequestContext {
  /// The user whose credential a `UserMiddleware` has verified; `nil` before the middleware, and for a request without
  /// a credential.
  var user: AuthenticatedUser? { get set }
}

/// A request context that only adds the request's user.
public struct BasicUserRequestContext: UserRequestContext {
  /// Hummingbird's storage for the request.
  public var coreContext: CoreRequestContextStorage
  /// The user whose credential a `UserMiddleware` has verified.
  public var user: AuthenticatedUser?

  /// Makes a context; called by Hummingbird for each request.
  ///
  /// - Parameter source: the request's source.
  public init(source: ApplicationRequestContextSource) { coreContext = CoreRequestContextStorage(source: source) }
}

/// Passes on only requests with a user, and puts the user into the request's context.
///
/// A thin adapter of `RequestAuthenticator`, which documents the accepted credentials. Other requests are refused with
/// 401, 400 or 403 and their challenges, or with 503 if the keys are unavailable. The reason is in the request's log,
/// at the level `debug`, and never contains a token.
public struct UserMiddleware<Context: UserRequestContext>: RouterMiddleware {
  private let authenticator: RequestAuthenticator
  private let isOptional: Bool

  /// - Parameters:
  ///   - authenticator: finds the request's user.
  ///   - isOptional: whether requests without a credential are passed on, without a user. An invalid credential is
  ///     still refused.
  public init(_ authenticator: RequestAuthenticator, isOptional: Bool = false) {
    self.authenticator = authenticator
    self.isOptional = isOptional
  }

  /// Answers a request, or passes it on.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - context: its context.
  ///   - next: answers the requests that are passed on.
  public func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    var context = context
    let authentication: Authentication
    do throws(AuthError) {
      authentication = try await typed {
        try await authenticator.authenticate(
          request.method.rawValue, request.head.path ?? "", headers: TransportHeaders(request))
      }
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
  /// Makes the header fields of a request. The host is separate from them in HTTP/2, and in Hummingbird.
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
