import GatehouseServer
import Glibc
import HangGuard
import Logging
import NIOCore
import NIOPosix
import TestSupport
import Testing

@Suite(.endsIfItHangs) struct AcceptPauseTests {
  /// Otherwise one client could shut the others out, by one connection a second.
  @Test(arguments: [(EMFILE, false), (ENFILE, false), (ENOBUFS, false), (ENOMEM, false), (ECONNABORTED, true)])
  func `a lack pauses the server, and a connection that its client has taken back does not`(
    number: CInt, goesOn: Bool
  ) async throws {
    let lines = LogLines()
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptPause(Logger(label: "test") { _ in lines }))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let isReading = try await server.eventLoop.submit {
      server.pipeline.fireErrorCaught(IOError(errnoCode: number, reason: "accept"))
      return try server.syncOptions?.getOption(.autoRead)
    }.get()
    #expect(isReading == goesOn)
    #expect(lines.all.isEmpty == goesOn)
    try await server.close()
  }
}
