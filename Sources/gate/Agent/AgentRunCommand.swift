import ArgumentParser
import Dispatch
import Foundation
import GatehouseAgent
import GatehouseAgentClient
import GatehouseAgentServer
import GatehouseBase
import GatehouseServer
import GatehouseSystem
import Logging

/// `gate agent`
struct AgentRunCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run the daemon in the foreground; gate agent does the same.",
    discussion: """
      SIGHUP and gate agent reload read the settings again; accounts that have not changed keep their tokens, and no \
      request is lost. fetchesPerSecond and takeoverSeconds are read at the start only. SIGTERM and SIGINT end \
      the daemon with status 0, when the requests that have come are answered; a second one does not wait for them.

      A daemon that has been stopped or hangs for takeoverSeconds (60) is killed by the next one that is started.
      """)

  @OptionGroup var configuration: AgentConfigurationOptions
  @OptionGroup var socket: AgentSocketOptions
  @OptionGroup var answer: AnswerOptions

  /// A request has no body, and few header fields. Waiting for an issuer takes half a minute at most. The fetches of
  /// two minutes, ten a second, keep their descriptors, and so do files and logs.
  private static var limits: HTTPLimits {
    var limits = HTTPLimits()
    limits.keptDescriptors = 1280
    (limits.bodyLength, limits.headerLength, limits.requestTime) = (4 << 10, 8 << 10, .seconds(10))
    return limits
  }

  /// Longer than a session's own limit, so that no fetch is given up whose refresh token may be spent.
  private static let fetchTimeout = Duration.seconds(120)

  func run() async throws {
    StandardError.waitForNoReader()
    defer { StandardError.finish() }
    StandardError.forbidCoreDumps()
    do throws(SystemError) { _ = try CurrentUser.id } catch {
      throw AuthError(.storeUnsafe, "the agent cannot run here: \(error)")
    }
    let home = try socket.folder.home()
    let source = configuration.source(home.variable)
    let settings = try source.read()
    let folder = AgentFolder(home: home)
    let inherited = try Self.listeningSocket()
    let place = try inherited.flatMap { ServiceManager.path(of: $0) } ?? socket.path()
    let ownership = try folder.own(silence: settings.takeoverSeconds, socket: place)
    defer { withExtendedLifetime(ownership) {} }
    let logger = Logger(label: "gate agent") { _ in MessageLog { StandardError.say($0) } }
    let hook = AgentHook(settings.onNeedsPerson)
    let files = AgentTokenFiles()
    let memory = AgentMemory()
    // Serial, so that tokens are written in the order in which they came.
    let callbacks = DispatchQueue(label: "gate.agent")
    let agent = Agent(
      Agent.Configuration(
        callbackQueue: callbacks, fetchTimeout: Self.fetchTimeout,
        fetchesPerSecond: settings.fetchesPerSecond,
        needsPerson: { name, reason in
          StandardError.say("\(name) needs a person: \(reason.message)")
          files.forgetToken(of: name)
          hook.run(name, reason)
        },
        tokenChanged: { name, token in
          files.put(token, of: name)
          memory.noteToken()
        }))
    let heartbeat = AgentHeartbeat(agent, ownership)
    defer { heartbeat.cancel() }
    let figures = AgentFigures()
    let accounts = AgentAccounts(agent, folder, figures, logger: logger) { name in
      // Behind the tokens that came before.
      callbacks.async { files.forgetToken(of: name) }
    }
    _ = try await accounts.apply(settings)
    FreeMemory.giveBack()
    let upkeep = memory.begin()
    defer { upkeep.cancel() }
    let owner = ownership.user
    files.apply(settings, of: agent)
    let changes = AgentChanges(accounts, source, hook, owner: owner) { files.apply($0, of: agent) }
    let server = AgentServer(
      agent, rules: ClientRules(settings.clients, owner: owner), process: CurrentProcess.id, figures: figures,
      logger: logger, reload: { () throws(AuthError) in try await changes.reload() })
    changes.serve(server)
    let isShared = !settings.clients.isEmpty
    let http = try AgentListener(at: place, isShared: isShared && inherited == nil) { () throws(AuthError) in
      if let inherited {
        return HTTPServer(server, listeningAt: inherited, path: place, limits: Self.limits, logger: logger)
      }
      try Self.preparePlace(place, isShared: isShared)
      return HTTPServer(server, at: .unix(path: place), limits: Self.limits, logger: logger)
    }

    let (ends, end) = AsyncStream<Void>.makeStream()
    let signals = EndSignals([.interrupt, .terminate]) { end.yield(()) }
    let reloads = SignalWatch([.hangUp]) { _ in Task { await changes.reloadAtSignal() } }
    defer {
      signals.cancel()
      reloads.cancel()
    }
    try agent.start()
    raiseDescriptorLimit()
    let bound = try await http.start(again: inherited == nil)
    try answer.write("\(bound)", json: ["address": .string("\(bound)")])
    ServiceNotice.tell("READY=1")
    let watchdog = AgentWatchdog(agent)
    defer { watchdog.cancel() }
    for await _ in ends { break }
    ServiceNotice.tell("STOPPING=1")
    do { try await http.stop() } catch { StandardError.say("the socket was not closed in order: \(error)") }
    do { try await agent.close() } catch {
      StandardError.say("a fetch did not end, and is given up; the next start fetches again: \(error)")
    }
    await accounts.close()
    await files.finish()
  }

  /// The socket of the service manager, if it has started the daemon with one.
  private static func listeningSocket() throws(AuthError) -> Int32? {
    do throws(SystemError) { return try ServiceManager.listeningSocket() } catch {
      throw AuthError(.invalidArgument, "the service manager must pass one Unix socket that listens: \(error)")
    }
  }

  /// Makes the socket's folder, for its owner only. A folder that others may enter is refused,
  /// unless rules of the settings decide about them.
  private static func preparePlace(_ path: String, isShared: Bool) throws(AuthError) {
    let folder = FileLocation(path).folder
    do throws(SystemError) {
      let status = try OpenFolder.ownOrMade(folder).status()
      try status.require(.folder, isShared ? .unwritable : .secret, at: folder)
    } catch { throw AuthError(.storeUnsafe, "the socket's folder cannot be used: \(error)") }
  }

  /// Lets the process open as many descriptors as the server may have connections.
  private func raiseDescriptorLimit() {
    do throws(SystemError) { try DescriptorLimit.raise(to: HTTPLimits().connections + 2048) } catch {
      StandardError.say("the limit of file descriptors stays what it is: \(error)")
    }
  }
}

/// Tells the service manager, if there is one.
enum ServiceNotice {
  static func tell(_ state: String) {
    do throws(SystemError) { try ServiceManager.tell(state) } catch {
      StandardError.say("the service manager could not be told \(state): \(error)")
    }
  }
}
