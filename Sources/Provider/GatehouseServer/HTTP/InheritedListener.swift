import GatehouseQueues
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Serves the connections of a socket that listens already, such as one of the service manager's.
///
/// Hummingbird binds each socket itself, so its own one has a hidden name that no client knows, and this service
/// accepts the clients. They are served by the same handlers.
struct InheritedListener: Service {
  let descriptor: Int32
  /// Set when the handlers are made.
  let handlers: Lock<(any ServerChildChannel)?>
  let logger: Logger
  let isListening: @Sendable (any Channel) async -> Void

  func run() async throws {
    guard let handlers = handlers.withLock({ $0 }) else { return }
    try await serve(handlers)
  }

  private func serve<Handlers: ServerChildChannel>(_ handlers: Handlers) async throws {
    let open = OpenChannels()
    let (clients, client) = AsyncStream<Handlers.Value>.makeStream()
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { [logger] channel in
        open.insert(channel)
        return handlers.setup(channel: channel, logger: logger).map { _ = client.yield($0) }
      }
      .withBoundSocket(descriptor).get()
    server.closeFuture.whenComplete { _ in client.finish() }
    await isListening(server)
    await withGracefulShutdownHandler {
      await withDiscardingTaskGroup { group in
        for await client in clients {
          group.addTask { [logger] in await handlers.handle(value: client, logger: logger) }
        }
      }
    } onGracefulShutdown: {
      server.close(promise: nil)
      open.quiesce()
    }
  }
}

/// The open connections of a listener, which are told when it ends: each is closed after the answer that is due.
private final class OpenChannels: Sendable {
  private let channels = Lock<[ObjectIdentifier: any Channel]>([:])

  func insert(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    channels.withLock { $0[id] = channel }
    channel.closeFuture.whenComplete { [self] _ in remove(id) }
  }

  private func remove(_ id: ObjectIdentifier) { channels.withLock { $0[id] = nil } }

  func quiesce() {
    for channel in channels.withLock({ Array($0.values) }) {
      channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
  }
}
