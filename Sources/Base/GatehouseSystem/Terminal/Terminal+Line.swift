import GatehouseBase
import Glibc

extension Terminal {
  /// Asks for a line.
  ///
  /// The keys work as at a shell's prompt: interrupt and quit end the program by their signal. Where what is typed is
  /// hidden, the terminal shows it again then, and while the program is stopped (Ctrl-Z). When the program goes on, the
  /// question is repeated, and what is typed is hidden again. In the background the program is stopped (`SIGTTIN`), as
  /// the system stops every job that reads the terminal there, and asks when it is in the foreground. A signal that the
  /// program's starter ignores stays ignored; no other one is lost. So does the `readpassphrase` of BSD.
  ///
  /// - Parameter isHidden: whether the terminal does not show what is typed.
  /// - Returns: the line with its end; without one when the input was ended.
  package func line(_ question: String, isHidden: Bool = false) throws(SystemError) -> [UInt8] {
    while true {
      try waitForForeground()
      if let line = try foregroundLine(question, isHidden: isHidden) { return line }
    }
  }

  /// The line, or `nil` when the program has come into the background.
  private func foregroundLine(_ question: String, isHidden: Bool) throws(SystemError) -> [UInt8]? {
    let prompt = Prompt(descriptor: descriptor, isHidden: isHidden, before: try Prompt.settings(of: descriptor))
    let ending = [Signal.interrupt, .quit, .terminate, .hangUp].filter { !$0.isIgnored }
    let signals = try SignalPipe(ending + [.terminalStop, .goOn].filter { !$0.isIgnored })
    defer {
      prompt.show()
      signals.end()
    }
    try prompt.begin(question)
    while isInForeground(descriptor) {
      guard let signal = try signals.next(orInputOf: descriptor) else {
        guard let line = try typedLine() else { return nil }
        if isHidden { prompt.write("\n") }
        return line
      }
      // The program was stopped, perhaps by a SIGSTOP, which cannot be heard, and goes on.
      guard signal != .goOn else {
        prompt.hide()
        continue
      }
      prompt.show()
      prompt.write("\n")
      CurrentProcess.obey(signal, meanwhile: signal == .terminalStop ? ending : [])
      // It was stopped, and goes on: here, or in the background.
      prompt.hide()
      prompt.write(question)
    }
    return nil
  }

  /// The line that has been typed; `nil` in the background.
  private func typedLine() throws(SystemError) -> [UInt8]? {
    do throws(SystemError) {
      // Where `SIGTTIN` is blocked, a read in the background is an error. Otherwise the system would stop the program
      // here, where it cannot be ended: the signals would wait in their pipe.
      return try CurrentProcess.blocking(.terminalRead) { () throws(SystemError) in try readLine() }
    } catch {
      guard error.number == .inputOutput, !isInForeground(descriptor) else { throw error }
      return nil
    }
  }

  /// In the background the system stops the program here, until it is in the foreground. No watch hears its signals
  /// meanwhile, so they end it. Throws where the system stops nothing: the starter of this program ignores `SIGTTIN`,
  /// or has ended.
  private func waitForForeground() throws(SystemError) {
    guard !isInForeground(descriptor) else { return }
    let ending: [Signal] = [.terminalRead, .interrupt, .quit, .terminate, .hangUp]
    try CurrentProcess.withDefaultActions(of: ending.filter { !$0.isIgnored }) { () throws(SystemError) in
      // A read of no bytes takes nothing from the line that is typed next.
      try systemCall("read", Self.path) { Glibc.read(descriptor, nil, 0) }
    }
    guard isInForeground(descriptor) else {
      throw SystemError(call: "read", path: Self.path, number: .inputOutput)
    }
  }
}

/// Whether the terminal is the calling program's: its keys send their signals to the program's process group.
private func isInForeground(_ descriptor: Int32) -> Bool { tcgetpgrp(descriptor) == getpgrp() }

/// What a prompt does to the terminal. Any thread.
private struct Prompt: Sendable {
  let descriptor: Int32
  /// Whether what is typed is hidden. Otherwise the terminal's settings stay as they are.
  let isHidden: Bool
  /// The terminal's settings before the prompt.
  let before: termios

  static func settings(of descriptor: Int32) throws(SystemError) -> termios {
    var settings = termios()
    // `unsafe`: the kernel writes one `termios`, and this is one.
    try systemCall("tcgetattr", Terminal.path) { unsafe tcgetattr(descriptor, &settings) }
    return settings
  }

  /// Hides first and asks then; a question that cannot be asked hides nothing for long.
  func begin(_ question: String) throws(SystemError) {
    if isHidden { try set(hidden) }
    try writeAll(question)
  }

  /// From now on the terminal does not show what is typed. Where it does not do so anyway, nothing changes: what has
  /// been typed is not lost.
  func hide() {
    guard isHidden, isInForeground(descriptor), let now = try? Self.settings(of: descriptor),
      now.c_lflag & tcflag_t(ECHO) != 0
    else { return }
    try? set(hidden)
  }

  /// The terminal is again as it was. In the background it is another program's.
  func show() { if isHidden, isInForeground(descriptor) { try? set(before) } }

  func write(_ text: String) { if isInForeground(descriptor) { try? writeAll(text) } }

  private var hidden: termios {
    var hidden = before
    hidden.c_lflag &= ~tcflag_t(ECHO)
    return hidden
  }

  private func set(_ settings: termios) throws(SystemError) {
    var settings = settings
    // `unsafe`: the kernel reads one `termios`, and this is one.
    try systemCall("tcsetattr", Terminal.path) { unsafe tcsetattr(descriptor, TCSAFLUSH, &settings) }
  }

  private func writeAll(_ text: String) throws(SystemError) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      // `unsafe`: the pointer is used for this call, and the kernel reads at most the buffer's count.
      bytes = try bytes.dropFirst(
        systemCall("write", Terminal.path) {
          unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        })
    }
  }
}
