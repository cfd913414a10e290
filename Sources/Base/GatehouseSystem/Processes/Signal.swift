import Glibc

/// A signal, by its number. Those that this package uses have names.
package struct Signal: RawRepresentable, Sendable, Hashable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// The terminal's interrupt key was pressed (`SIGINT`).
  package static let interrupt = Self(rawValue: SIGINT)
  /// `SIGTERM`
  package static let terminate = Self(rawValue: SIGTERM)
  /// The terminal was closed (`SIGHUP`).
  package static let hangUp = Self(rawValue: SIGHUP)
  /// The terminal's quit key was pressed (`SIGQUIT`).
  package static let quit = Self(rawValue: SIGQUIT)
  /// The terminal's stop key was pressed (`SIGTSTP`).
  package static let terminalStop = Self(rawValue: SIGTSTP)
  /// A stopped program continues (`SIGCONT`).
  package static let goOn = Self(rawValue: SIGCONT)
  /// For the program's own use (`SIGUSR1`, `SIGUSR2`).
  package static let user1 = Self(rawValue: SIGUSR1), user2 = Self(rawValue: SIGUSR2)
  /// The terminal's window was resized (`SIGWINCH`).
  package static let windowChanged = Self(rawValue: SIGWINCH)
  /// The program reads from the terminal in the background (`SIGTTIN`).
  package static let terminalRead = Self(rawValue: SIGTTIN)
  /// `SIGKILL`, which cannot be handled.
  package static let kill = Self(rawValue: SIGKILL)
  /// The program wrote to a pipe without a reader (`SIGPIPE`).
  package static let brokenPipe = Self(rawValue: SIGPIPE)
  /// A program that this one started has ended (`SIGCHLD`).
  package static let childEnded = Self(rawValue: SIGCHLD)

  /// The exit status that a shell reports for a program that the signal terminated.
  package var status: Int32 { 128 + rawValue }

  /// Whether this program ignores the signal, by its own choice or its parent's.
  package var isIgnored: Bool {
    var action = sigaction()
    // `unsafe`: the kernel writes one `sigaction`, to a variable of that type; the handler is compared, not called.
    guard unsafe sigaction(rawValue, nil, &action) == 0 else { return false }
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Sends the signal to a process. Does nothing if the process no longer exists.
  package func send(to process: Int32) { _ = Glibc.kill(process, rawValue) }

  /// Sends the signal to a process group. Does nothing if the group no longer exists.
  package func send(toGroup group: Int32) { _ = Glibc.killpg(group, rawValue) }
}
