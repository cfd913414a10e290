import GatehouseQueues
import GatehouseServer
import Glibc
import HangGuard
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import TestSupport
import Testing

@Suite(.endsIfItHangs) struct AcceptPauseTests {
  private let lines = LogLines()

  private func pause(limit: Int) -> AcceptPause { AcceptPause(limit: limit, Logger(label: "test") { _ in lines }) }

  /// Otherwise one client could shut the others out, by one connection a second.
  @Test(arguments: [(EMFILE, false), (ENFILE, false), (ENOBUFS, false), (ENOMEM, false), (ECONNABORTED, true)])
  func `a lack pauses the server, and a connection that its client has taken back does not`(
    number: CInt, goesOn: Bool
  ) throws {
    let server = try Server(pause(limit: 2))
    server.fail(number)
    #expect(server.accepts == goesOn)
    #expect(lines.all.isEmpty == goesOn)
    server.loop.advanceTime(by: .milliseconds(999))
    #expect(server.accepts == goesOn)
    server.loop.advanceTime(by: .milliseconds(1))
    #expect(server.accepts)
  }

  @Test func `a lack ends with a connection`() throws {
    let server = try Server(pause(limit: 3))
    let first = try server.accept()
    server.fail(EMFILE)
    #expect(!server.accepts)
    try server.end(first)
    #expect(server.accepts)
  }

  @Test func `no more connections are accepted than there may be`() throws {
    let server = try Server(pause(limit: 2))
    let first = try server.accept()
    #expect(server.accepts)
    let second = try server.accept()
    #expect(!server.accepts)
    #expect(server.reads(1) == 0)
    // The end of another pause is none of this one.
    server.fail(EMFILE)
    server.loop.advanceTime(by: .seconds(1))
    #expect(!server.accepts)
    try server.end(first)
    #expect(server.accepts)
    #expect(server.reads(1) == 1)
    let third = try server.accept()
    #expect(!server.accepts)
    for one in [second, third] { try server.end(one) }
    #expect(server.accepts)
  }

  @Test func `a burst of connections is accepted one at a time, and the others wait`() async throws {
    let (limit, count) = (3, 12)
    let numbers = Numbers()
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelInitializer { [lines] channel in
        channel.eventLoop.makeCompletedFuture {
          let pause = AcceptPause(limit: limit, Logger(label: "test") { _ in lines })
          // It notes an end before the pause does.
          try channel.pipeline.syncOperations.addHandlers([numbers, pause])
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(server.localAddress?.port)
    var clients: [any Channel] = []
    for _ in 0..<count {
      clients.append(
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
          .connect(host: "127.0.0.1", port: port).get())
    }
    // A client that ends makes room for another one.
    for (number, client) in clients.enumerated() {
      await numbers.wait(for: min(limit + number, count))
      try await client.close()
    }
    #expect(numbers.most == limit && lines.all == [])
    try await server.close()
  }
}

/// A server that does what the test says, on a loop whose time the test moves.
private struct Server {
  let loop = EmbeddedEventLoop()
  private let channel: EmbeddedChannel
  private let reads = Reads()

  init(_ pause: AcceptPause) throws {
    channel = EmbeddedChannel(handlers: [reads, pause], loop: loop)
    #expect(
      channel.options.contains { $0.option is ChannelOptions.Types.MaxMessagesPerReadOption && $0.value as? UInt == 1 })
  }

  var accepts: Bool {
    let option = channel.options.first { $0.option is ChannelOptions.Types.AutoReadOption }
    return option?.value as? Bool ?? true
  }

  /// Other handlers ask for connections.
  ///
  /// - Returns: how often the socket is asked.
  func reads(_ count: Int) -> Int {
    let before = reads.count
    for _ in 0..<count { channel.read() }
    return reads.count - before
  }

  /// A client connects.
  func accept() throws -> EmbeddedChannel {
    let accepted = EmbeddedChannel(loop: loop)
    try channel.writeInbound(accepted as any Channel)
    return accepted
  }

  func end(_ accepted: EmbeddedChannel) throws {
    try accepted.close().wait()
    loop.run()
  }

  func fail(_ number: CInt) {
    channel.pipeline.fireErrorCaught(IOError(errnoCode: number, reason: "accept"))
  }
}

/// Counts what reaches the socket.
private final class Reads: ChannelOutboundHandler {
  typealias OutboundIn = any Channel

  private(set) var count = 0

  func read(context: ChannelHandlerContext) {
    count += 1
    context.read()
  }
}

/// Counts accepted connections, and those that are open at once.
private final class Numbers: ChannelInboundHandler, Sendable {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel

  private struct State {
    var (accepted, open, most) = (0, 0, 0)
  }

  private let state = Lock(State())

  var most: Int { state.withLock { $0.most } }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    state.withLock { state in
      state.accepted += 1
      state.open += 1
      state.most = max(state.most, state.open)
    }
    unwrapInboundIn(data).closeFuture.whenComplete { [state] _ in state.withLock { $0.open -= 1 } }
    context.fireChannelRead(data)
  }

  func wait(for count: Int) async { while state.withLock({ $0.accepted }) < count { await Task.yield() } }
}
