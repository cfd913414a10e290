import Glibc

/// A signal, by its number. Those that this package uses have a name.
package struct Signal: RawRepresentable, Sendable, Hashable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// The terminal's keys interrupt (`SIGINT`).
  package static let interrupt = Self(rawValue: SIGINT)
  /// `SIGTERM`
  package static let terminate = Self(rawValue: SIGTERM)
  /// The terminal is gone (`SIGHUP`).
  package static let hangUp = Self(rawValue: SIGHUP)
  /// The terminal's keys ask to quit (`SIGQUIT`).
  package static let quit = Self(rawValue: SIGQUIT)
  /// The terminal's keys ask to stop (`SIGTSTP`).
  package static let terminalStop = Self(rawValue: SIGTSTP)
  /// A program that was stopped goes on (`SIGCONT`).
  package static let goOn = Self(rawValue: SIGCONT)
  /// For the program's own use (`SIGUSR1`, `SIGUSR2`).
  package static let user1 = Self(rawValue: SIGUSR1), user2 = Self(rawValue: SIGUSR2)
  /// The terminal's window has another size (`SIGWINCH`).
  package static let windowChanged = Self(rawValue: SIGWINCH)
  /// The program reads the terminal in the background (`SIGTTIN`).
  package static let terminalRead = Self(rawValue: SIGTTIN)
  /// `SIGKILL`, which cannot be handled.
  package static let kill = Self(rawValue: SIGKILL)
  /// A pipe was written to that no program reads (`SIGPIPE`).
  package static let brokenPipe = Self(rawValue: SIGPIPE)
  /// A program that this one started has ended (`SIGCHLD`).
  package static let childEnded = Self(rawValue: SIGCHLD)

  /// The exit status that a shell gives a program that the signal ended.
  package var status: Int32 { 128 + rawValue }

  /// Whether this program ignores the signal: because it says so, or because the one that started it did.
  package var isIgnored: Bool {
    var action = sigaction()
    // `unsafe`: the kernel writes one `sigaction`, and this is one; the handler is compared, not called.
    guard unsafe sigaction(rawValue, nil, &action) == 0 else { return false }
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Sends the signal to a process. Returns without an error when there is none any more.
  package func send(to process: Int32) { _ = Glibc.kill(process, rawValue) }

  /// Sends the signal to a process group. Returns without an error when there is none any more.
  package func send(toGroup group: Int32) { _ = Glibc.killpg(group, rawValue) }
}
