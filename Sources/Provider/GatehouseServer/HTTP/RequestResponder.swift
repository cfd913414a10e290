import GatehouseBase
import GatehouseHTTP
import HTTPTypes
import Hummingbird
import NIOCore

/// Hands Hummingbird's requests to a handler, within limits.
struct RequestResponder: HTTPResponder {
  let handler: any RequestHandler
  let limits: HTTPLimits
  var isSecure = false

  /// The connection of a request.
  struct Context: InitializableFromSource {
    let channel: any Channel

    init(source: ApplicationRequestContextSource) { channel = source.channel }
  }

  func respond(to request: Request, context: Context) async throws -> Response {
    var headers = TransportHeaders()
    // HTTP/2 has it apart from the header fields, and so has this library.
    if let host = request.head.authority { headers.add("Host", host) }
    for field in request.headers { headers.add(field.name.rawName, field.value) }
    var received = ServerRequest(
      request.method.rawValue, request.head.path ?? "", headers: headers,
      peer: context.channel.remoteAddress?.ipAddress)
    received.isSecure = isSecure
    guard let body = await body(of: request, upTo: await limit(of: request, received), context) else {
      // What the client is still sending is read and dropped for a moment, so that it can read the answer.
      context.close(in: .seconds(1))
      var response = Response(Refusal.tooLarge.response)
      response.headers[.connection] = "close"
      return response
    }
    received.body = body
    return Response(await handler.answer(received))
  }

  /// How long the body of a request may be.
  private func limit(of request: Request, _ received: ServerRequest) async -> Int {
    if let length = request.length, length <= limits.bodyLength { return limits.bodyLength }
    return await handler.bodyLength(of: received) ?? limits.bodyLength
  }

  /// The body of a request; `nil` for one that is longer than it may be. A connection on which it does not come in time
  /// is closed.
  private func body(of request: Request, upTo limit: Int, _ context: Context) async -> [UInt8]? {
    let length = request.length
    if let length, length > limit { return nil }
    var deadline: Scheduled<Void>?
    defer { deadline?.cancel() }
    var bytes: [UInt8] = []
    do {
      for try await part in request.body {
        guard bytes.count + part.readableBytes <= limit else { return nil }
        bytes.append(contentsOf: part.readableBytesView)
        // A body that has come as a whole, as nearly all do, needs no timer: one wakes the connection's thread twice.
        // Until something has come, the connection is silent, and has a limit for that.
        if deadline == nil, bytes.count != length { deadline = context.close(in: TimeAmount(limits.requestTime)) }
      }
    } catch { return nil }
    return bytes
  }
}

extension Request {
  /// What its header says of its body's length.
  fileprivate var length: Int? { headers[.contentLength].flatMap { Int($0) } }
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
      guard let name = HTTPField.Name(field.name) else { continue }
      fields.append(HTTPField(name: name, value: field.value))
    }
    self.init(
      status: .init(code: response.status), headers: fields,
      body: response.body.isEmpty ? .init() : .init(byteBuffer: ByteBuffer(bytes: response.body)))
  }
}
