import GatehouseBase
import NIOCore
import NIOHTTP1

/// The requirements of HTTP/1.1 for a server that Hummingbird leaves out (RFC 9110 and 9112):
///
///     a request                                 then
///     without a `Host`, with several, or with   refused as malformed, like what the parser refuses
///     one that is no host and port
///     whose target names another host           likewise: `GET http://b/ HTTP/1.1` with `Host: a`
///     in another coding than `chunked`          refused as malformed
///     with a character of more than 30          refused as malformed: comparing it takes quadratic time
///     combining marks
///     of HTTP/1.0                               its connection is closed after the answer
///     that wants it closed in other words       likewise: `Connection: Close, TE`
///     for another protocol, or `CONNECT`        answered as HTTP/1.1, and the connection is closed after the answer:
///                                               the parser reads nothing more of it
///     that expects `100-continue`               told to go on, unless an earlier answer is still to come
///     `HEAD`                                    answered without the body
///     whose body comes in many chunks           passed on as what has been read at once: each part costs its reader
///                                               much more than a byte
///     that is still coming when its answer      read to its end and dropped: a connection that is closed with bytes
///     has ended the connection                  unread is reset, and its client may lose the answer
///
/// Sits on one connection, between the parser and the rest.
final class RequestManners: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// The unanswered requests.
  private var unanswered: CircularBuffer<Unanswered> = []
  private struct Unanswered {
    let isHead: Bool
    /// Whether the connection is closed after the answer, which must say so.
    let closes: Bool
  }

  /// The parts of a body that were read and are not passed on yet.
  private var held: ByteBuffer?
  /// The length from which parts are passed on before everything that was read is parsed, in bytes.
  private static let mostHeld = 64 << 10

  /// Whether a request has begun and not ended.
  private var isComing = false
  /// Whether the last answer ends the connection.
  private var isLast = false
  /// Whether the connection is about to be closed, so that received data is dropped.
  private var isEnding = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = unwrapInboundIn(data)
    if case .end = part {
      isComing = false
      if isEnding, isLast { return context.close(mode: .output, promise: nil) }  // after the answer, which is flushed
    }
    guard !isEnding else { return }
    if case .body(let bytes) = part { return hold(bytes, context) }
    passOn(context)
    guard case .head(var head) = part else { return context.fireChannelRead(data) }
    guard head.isWellFormed else {
      isEnding = true
      return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
    }
    isComing = true
    let closes = head.wantsClosing
    if closes { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    if head.expectsWord, unanswered.isEmpty {
      let goOn = HTTPResponseHead(version: .http1_1, status: .continue)
      context.writeAndFlush(wrapOutboundOut(.head(goOn)), promise: nil)
    }
    unanswered.append(Unanswered(isHead: head.method == .HEAD, closes: closes))
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  private func hold(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
    if held == nil { held = bytes } else { held?.writeImmutableBuffer(bytes) }
    if held?.readableBytes ?? 0 >= Self.mostHeld { passOn(context) }
  }

  private func passOn(_ context: ChannelHandlerContext) {
    if let held = held.take() { context.fireChannelRead(wrapInboundOut(.body(held))) }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head):
      if unanswered.first?.closes == true { head.headers.replaceOrAdd(name: "Connection", value: "close") }
      isLast = head.headers[canonicalForm: "Connection"].contains("close")
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body where unanswered.first?.isHead == true: promise?.succeed()
    case .body: context.write(data, promise: promise)
    case .end:
      _ = unanswered.popFirst()
      context.write(data, promise: promise)
      guard isLast, isComing else { return }
      isEnding = true
      context.read()
    }
  }

  /// A request whose answer has ended the connection may be malformed to its end: it gets no second answer.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard isEnding, isLast else {
      passOn(context)
      return context.fireErrorCaught(error)
    }
    context.close(promise: nil)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    passOn(context)
    context.fireChannelReadComplete()
    if isEnding { context.read() }
  }
}

extension HTTPRequestHead {
  /// Whether the request is HTTP/1.0.
  private var isOld: Bool { version.major == 1 && version.minor == 0 }

  fileprivate var isWellFormed: Bool {
    // First, because everything else compares texts.
    guard headers.allSatisfy({ $0.value.isStreamSafe }) else { return false }
    let hosts = headers["Host"]
    guard hosts.count == 1 || (hosts.isEmpty && isOld), hosts.allSatisfy(HostField.isWellFormed), namesOneHost
    else { return false }
    let codings = headers[canonicalForm: "Transfer-Encoding"]
    return codings.isEmpty || (!isOld && codings.count == 1 && codings[0].lowercased() == "chunked")
  }

  /// Whether the target is a path, or a URL at the host of the field (RFC 9112 §3.2).
  private var namesOneHost: Bool {
    guard uri.utf8.first != UInt8(ascii: "/"), uri != "*", method != .CONNECT else { return true }
    guard let host = headers["Host"].first, let start = uri.firstRange(of: "://")?.upperBound else { return false }
    return uri[start...].prefix { !"/?#".contains($0) }.lowercased() == host.lowercased()
  }

  fileprivate var wantsClosing: Bool {
    guard !isOld, method != .CONNECT else { return true }
    let wishes = headers[canonicalForm: "Connection"].map { $0.lowercased() }
    return wishes.contains("close") || (wishes.contains("upgrade") && headers.contains(name: "Upgrade"))
  }

  /// Whether the client waits for `100 Continue` before it sends the body.
  fileprivate var expectsWord: Bool {
    !isOld && headers[canonicalForm: "Expect"].contains { $0.lowercased() == "100-continue" }
  }
}
