import GatehouseBase
import GatehouseHTTP
import GatehouseLocal
import HTTPTypes
import Hummingbird
import NIOCore

/// Passes Hummingbird's requests to a handler, within limits.
struct RequestResponder: HTTPResponder {
  let handler: any RequestHandler
  let limits: HTTPLimits
  let bodies: BodyBudget
  var isSecure = false

  /// The connection of a request.
  struct Context: InitializableFromSource {
    let channel: any Channel

    init(source: ApplicationRequestContextSource) { channel = source.channel }
  }

  func respond(to request: Request, context: Context) async throws -> Response {
    var received = ServerRequest(
      request.method.rawValue, request.head.path ?? "", headers: TransportHeaders(of: request.head),
      peer: context.channel.remoteAddress?.ipAddress)
    received.isSecure = isSecure
    received.process = ConnectionPeer.current?.process
    if received.hasBody, (handler as? any PlacedHandler)?.refusesUnread(received) == true {
      return ending(Response(await handler.answer(received)), context)
    }
    var share: BodyBudget.Share?
    defer { share?.release() }
    do throws(Refusal) {
      received.body = try await body(of: request, received, &share, context)
      guard share?.keep() != false else { throw .tooManyBodies }
    } catch {
      return ending(Response(error.response), context)
    }
    return Response(await handler.answer(received))
  }

  /// Returns the response to a request whose body is not read to its end.
  private func ending(_ response: Response, _ context: Context) -> Response {
    // Data that the client still sends is read and dropped for a while, so that the client can read the answer.
    context.close(in: .seconds(5))
    var response = response
    response.headers[.connection] = "close"
    return response
  }

  /// Begins the share of a long body. A credential in the header is checked before: an administrator's body has room of
  /// its own, and a bad credential has none.
  private func share(of received: ServerRequest, _ context: Context) async -> BodyBudget.Share {
    let placed = handler as? any PlacedHandler
    var isAdministrators = false
    if let placed {
      isAdministrators = await placed.isAdministrator(received)
    } else {
      isAdministrators = await handler.bodyLength(of: received) != nil
    }
    let peer = received.peer.flatMap { NetworkAddress($0) }
    let networks = placed?.networks(of: received) ?? peer.map { $0.isLoopback ? [] : $0.networks } ?? []
    let channel = context.channel
    return bodies.begin(of: networks, isAdministrators: isAdministrators) { channel.close(promise: nil) }
  }

  /// Returns the maximum length of a request's body.
  ///
  /// - Parameter length: the length that the request announces.
  private func limit(of received: ServerRequest, _ length: Int?) async -> Int {
    if let length, length <= limits.bodyLength { return limits.bodyLength }
    return await handler.bodyLength(of: received) ?? limits.bodyLength
  }

  /// Returns the body of a request. If it does not arrive in time, the connection is closed.
  private func body(
    of request: Request, _ received: ServerRequest, _ share: inout BodyBudget.Share?, _ context: Context
  ) async throws(Refusal) -> [UInt8] {
    let announced = received.length, limit = await limit(of: received, announced)
    if let announced, announced > limit { throw .tooLarge }
    var deadline: Scheduled<Void>?
    defer { deadline?.cancel() }
    var bytes: [UInt8] = []
    do {
      for try await part in request.body {
        Steps.add(1)
        let length = bytes.count + part.readableBytes
        guard length <= limit else { throw Refusal.tooLarge }
        if length > BodyBudget.free {
          if share == nil { share = await self.share(of: received, context) }
          guard share?.hold(length) == true else { throw Refusal.tooManyBodies }
        }
        bytes.append(contentsOf: part.readableBytesView)
        // A body that arrives in one piece, as almost all do, needs no timer, which would wake the connection's thread
        // twice. Before the first piece, the connection is idle, and has a limit for that.
        if deadline == nil, bytes.count != announced { deadline = context.close(in: TimeAmount(limits.requestTime)) }
      }
    } catch let refusal as Refusal {
      throw refusal
    } catch { throw .cutShort }
    return bytes
  }
}

extension TransportHeaders {
  fileprivate init(of head: HTTPRequest) {
    // The host is separate from the header fields in HTTP/2, and in this library.
    let host = head.authority.map { [Field("Host", $0)] } ?? []
    self.init(host + head.headerFields.map { Field($0.name.rawName, $0.value) })
  }
}

extension ServerRequest {
  /// The length of the body according to the header.
  fileprivate var length: Int? { headers["Content-Length"].flatMap { Int($0) } }

  /// Whether a body follows the header.
  fileprivate var hasBody: Bool { length ?? 0 > 0 || headers["Transfer-Encoding"] != nil }
}

extension RequestResponder.Context {
  /// Closes the connection after a time.
  @discardableResult
  func close(in time: TimeAmount) -> Scheduled<Void> {
    channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }
}

extension Response {
  fileprivate init(_ response: ServerResponse) {
    var fields = HTTPFields()
    for field in response.headers.fields {
      guard let name = HTTPField.Name(of: field) else { continue }
      fields.append(HTTPField(name: name, value: field.value))
    }
    self.init(
      status: .init(code: response.status), headers: fields,
      body: response.body.isEmpty ? .init() : .init(byteBuffer: ByteBuffer(bytes: response.body)))
  }
}

extension HTTPField.Name {
  /// The fields of most answers are known, so that their names are not checked again.
  fileprivate init?(of field: TransportHeaders.Field) {
    switch field.name {
    case "Content-Type": self = .contentType
    case "Cache-Control": self = .cacheControl
    default: self.init(field.name)
    }
  }
}
