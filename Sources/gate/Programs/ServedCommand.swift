import GatehouseBase
import GatehouseQueues
import GatehouseSystem

/// The command that `gate serve --emulator --exec` runs, as `firebase emulators:exec` does.
final class ServedCommand: Sendable {
  private struct State: Sendable {
    /// The running program, as long as its process ID cannot belong to another process.
    var program: RunningProgram?
    var ending: Task<Int32, Never>?
  }

  private let path: String
  private let arguments: [String]
  private let state = Lock(State())

  /// - Throws: `.invalidArgument` if there is no such program.
  init(_ arguments: [String]) throws(AuthError) {
    path = try Executable(named: arguments[0]).path
    self.arguments = arguments
  }

  /// Starts the command, which finds the emulator and its project in the variables that Firebase's tools read.
  ///
  /// - Parameters:
  ///   - address: the emulator's host and port.
  ///   - ended: called when the command has ended.
  func start(_ address: String, project: String, ended: @escaping @Sendable () -> Void) throws(AuthError) {
    let program = Program(
      path, arguments,
      setting: [
        "FIREBASE_AUTH_EMULATOR_HOST": address, "GCLOUD_PROJECT": project, "GOOGLE_CLOUD_PROJECT": project,
        // The variables of a service manager are for this program.
        "NOTIFY_SOCKET": nil, "WATCHDOG_USEC": nil, "WATCHDOG_PID": nil,
      ])
    let running: RunningProgram
    do throws(SystemError) { running = try program.start() } catch {
      throw AuthError(.invalidArgument, "\(arguments[0].shown) could not be started: \(error)")
    }
    state.withLock { $0.program = running }
    let ending = Task { [self] in
      let ending = await running.ending { [self] in state.withLock { $0.program = nil } }
      ended()
      return ending.status
    }
    state.withLock { $0.ending = ending }
  }

  /// Asks the command to end, if it still runs.
  func terminate() { state.withLock { state in state.program.map { Signal.terminate.send(to: $0.id) } } }

  /// The exit status of the command, once it has ended; `nil` if it was not started.
  var status: Int32? {
    get async { await state.withLock { $0.ending }?.value }
  }
}
