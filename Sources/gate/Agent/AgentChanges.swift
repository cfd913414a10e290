import GatehouseAgentServer
import GatehouseBase
import GatehouseQueues
import GatehouseSystem

/// Carries out the reloads of a running daemon.
final class AgentChanges: Sendable {
  private let accounts: AgentAccounts
  private let source: AgentSettingsSource
  private let owner: UInt32
  private let hook: AgentHook
  private let applied: @Sendable (AgentSettings) -> Void
  private let server = Lock<AgentServer?>(nil)
  private let isChanging = Lock(false)

  /// - Parameters:
  ///   - owner: the daemon's own user.
  ///   - applied: called with the settings of each reload, once the accounts are theirs.
  init(
    _ accounts: AgentAccounts, _ source: AgentSettingsSource, _ hook: AgentHook, owner: UInt32,
    applied: @escaping @Sendable (AgentSettings) -> Void
  ) {
    self.hook = hook
    self.applied = applied
    self.accounts = accounts
    self.source = source
    self.owner = owner
  }

  /// Sets the server whose rules a reload replaces.
  func serve(_ server: AgentServer) { self.server.withLock { $0 = server } }

  /// Reads the settings again, and returns what has changed. Settings with a mistake change nothing.
  func reload() async throws(AuthError) -> JSONObject {
    ServiceNotice.tell("RELOADING=1\nMONOTONIC_USEC=\(SystemTime.monotonic / 1000)")
    defer { ServiceNotice.tell("READY=1") }
    let isAlone = isChanging.withLock { isChanging in
      defer { isChanging = true }
      return !isChanging
    }
    guard isAlone else { throw AuthError(.storeInUse, "the settings are being read already; try again") }
    defer { isChanging.withLock { $0 = false } }
    let settings = try source.read()
    guard let server = server.withLock({ $0 }) else { return try await change(to: settings) }
    return try await server.admit(by: ClientRules(settings.clients, owner: owner)) { () async throws(AuthError) in
      try await change(to: settings)
    }
  }

  private func change(to settings: AgentSettings) async throws(AuthError) -> JSONObject {
    // First: an account that is new may need a person at once.
    let former = hook.set(settings.onNeedsPerson)
    let answer: JSONObject
    do throws(AuthError) { answer = try await accounts.apply(settings) } catch {
      hook.set(former)
      throw error
    }
    applied(settings)
    return answer
  }

  /// Reloads, and says what happened.
  func reloadAtSignal() async {
    do throws(AuthError) { StandardError.say("reloaded: \(try await reload())") } catch {
      StandardError.say("the settings stay what they were: \(error.message)")
    }
  }
}
