import GatehouseBase
import Glibc

extension Terminal {
  /// Prompts for a line.
  ///
  /// The keys work as at a shell's prompt: interrupt and quit terminate the program by their signal. If input is
  /// hidden, echo is restored then, and while the program is stopped (Ctrl-Z). When the program continues, the question
  /// is repeated and input is hidden again. In the background the program is stopped (`SIGTTIN`), like every job that
  /// reads from the terminal there, and prompts once it is in the foreground. Signals that the program's parent ignores
  /// remain ignored; no other signal is lost. BSD's `readpassphrase` does the same.
  ///
  /// - Parameter isHidden: whether the terminal hides the input.
  /// - Returns: the line with its terminator, or without one if the input ended. After a hidden line, also the input
  ///   that was typed or pasted after it, so that the caller does not mistake a part for the whole.
  package func line(_ question: String, isHidden: Bool = false) throws(SystemError) -> [UInt8] {
    try line(question, isHidden: isHidden, then: nil)
  }

  /// Prompts for a hidden line, and passes it to `use`. Returns at `end.wake()`: until then later input stays hidden as
  /// well, because a person may type ahead. Such input is dropped.
  package func hiddenLine(
    _ question: String, until end: WakePipe, _ use: @escaping ([UInt8]) -> Void
  ) throws(SystemError) {
    _ = try line(question, isHidden: true, then: Holding(end: end, use: use))
  }

  private struct Holding {
    let end: WakePipe
    let use: ([UInt8]) -> Void
  }

  private func line(_ question: String, isHidden: Bool, then holding: Holding?) throws(SystemError) -> [UInt8] {
    while true {
      try waitForForeground()
      if let line = try foregroundLine(question, isHidden: isHidden, then: holding) { return line }
    }
  }

  /// The line; `nil` if the program has moved to the background.
  private func foregroundLine(
    _ question: String, isHidden: Bool, then holding: Holding?
  ) throws(SystemError) -> [UInt8]? {
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
        guard isHidden else {
          // At the end of the input, the terminal has not begun a new line.
          if line.last != UInt8(ascii: "\n") { prompt.write("\n") }
          return line
        }
        let typed = line + prompt.rest()
        prompt.write("\n")
        if let holding {
          holding.use(typed)
          // An error ends the hiding only: the line has been passed on.
          while let signal = try? signals.next(orInputOf: holding.end.reading) {
            guard signal != .goOn else {
              prompt.hide()
              continue
            }
            prompt.show()
            CurrentProcess.obey(signal, meanwhile: signal == .terminalStop ? ending : [])
            prompt.hide()
          }
        }
        return typed
      }
      // The program was stopped, perhaps by a SIGSTOP, which cannot be handled, and has continued.
      guard signal != .goOn else {
        prompt.hide()
        continue
      }
      prompt.show()
      prompt.write("\n")
      CurrentProcess.obey(signal, meanwhile: signal == .terminalStop ? ending : [])
      // The program was stopped and has continued, in the foreground or in the background.
      prompt.hide()
      prompt.write(question)
    }
    return nil
  }

  /// Reads the typed line; returns `nil` in the background.
  private func typedLine() throws(SystemError) -> [UInt8]? {
    do throws(SystemError) {
      // With `SIGTTIN` blocked, a read in the background fails. Otherwise the system would stop the program here, where
      // it could not be terminated: the signals would wait in their pipe.
      return try CurrentProcess.blocking(.terminalRead) { () throws(SystemError) in try readLine() }
    } catch {
      guard error.number == .inputOutput, !isInForeground(descriptor) else { throw error }
      return nil
    }
  }

  /// If the program is in the background, the system stops it here until it is in the foreground. Its signals have
  /// their normal actions meanwhile, so they can terminate it. Throws if the system does not stop the program, because
  /// its parent ignores `SIGTTIN` or has ended.
  private func waitForForeground() throws(SystemError) {
    guard !isInForeground(descriptor) else { return }
    let ending: [Signal] = [.terminalRead, .interrupt, .quit, .terminate, .hangUp]
    try CurrentProcess.withDefaultActions(of: ending.filter { !$0.isIgnored }) { () throws(SystemError) in
      // A read of zero bytes takes nothing from the next typed line.
      try systemCall("read", Self.path) { Glibc.read(descriptor, nil, 0) }
    }
    guard isInForeground(descriptor) else {
      throw SystemError(call: "read", path: Self.path, number: .inputOutput)
    }
  }
}

/// Whether the calling program is in the terminal's foreground: the terminal's keys send signals to its process group.
private func isInForeground(_ descriptor: Int32) -> Bool { tcgetpgrp(descriptor) == getpgrp() }

/// The terminal's state during a prompt. Usable from any thread.
private struct Prompt: Sendable {
  let descriptor: Int32
  /// Whether input is hidden. Otherwise the terminal's settings are not changed.
  let isHidden: Bool
  /// The terminal's settings before the prompt.
  let before: termios

  static func settings(of descriptor: Int32) throws(SystemError) -> termios {
    var settings = termios()
    // `unsafe`: the kernel writes one `termios`, to a variable of that type.
    try systemCall("tcgetattr", Terminal.path) { unsafe tcgetattr(descriptor, &settings) }
    return settings
  }

  /// Hides the input, and then prints the question. If that fails, the input is not hidden for long.
  func begin(_ question: String) throws(SystemError) {
    if isHidden { try set(hidden) }
    try writeAll(question)
  }

  /// Turns off the terminal's echo. Does nothing if it is off already, so that typed input is not lost.
  func hide() {
    guard isHidden, isInForeground(descriptor), let now = try? Self.settings(of: descriptor),
      now.c_lflag & tcflag_t(ECHO) != 0
    else { return }
    try? set(hidden)
  }

  /// Returns the input after the line that was read. In line mode a terminal holds back an incomplete line, so this
  /// switches to character mode. Pasted text arrives at once, so it waits a tenth of a second for more.
  func rest() -> [UInt8] {
    guard isInForeground(descriptor) else { return [] }
    var settings = hidden
    settings.c_lflag &= ~tcflag_t(ICANON)
    // `unsafe`: the C library's array is a tuple in Swift; both indexes are within it.
    unsafe withUnsafeMutableBytes(of: &settings.c_cc) { places in
      unsafe places[Int(VMIN)] = 0
      unsafe places[Int(VTIME)] = 1
    }
    // `unsafe`: the kernel reads one `termios`, which this is.
    guard
      (try? systemCall("tcsetattr", Terminal.path, body: { unsafe tcsetattr(descriptor, TCSANOW, &settings) })) != nil
    else { return [] }
    var rest: [UInt8] = []
    while rest.count < 64 << 10, let some = try? CurrentProcess.blocking(.terminalRead, some), !some.isEmpty {
      rest += some
    }
    return rest
  }

  private func some() throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = try systemCall("read", Terminal.path) {
      // `unsafe`: the pointer is used for this call, and the kernel writes at most the buffer's count.
      unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
    }
    return Array(bytes.prefix(count))
  }

  /// Restores the terminal's settings. Not in the background, where the terminal belongs to another program.
  func show() { if isHidden, isInForeground(descriptor) { try? set(before) } }

  func write(_ text: String) { if isInForeground(descriptor) { try? writeAll(text) } }

  private var hidden: termios {
    var hidden = before
    hidden.c_lflag &= ~tcflag_t(ECHO)
    return hidden
  }

  private func set(_ settings: termios) throws(SystemError) {
    var settings = settings
    // `unsafe`: the kernel reads one `termios`, a variable of that type.
    try systemCall("tcsetattr", Terminal.path) { unsafe tcsetattr(descriptor, TCSAFLUSH, &settings) }
  }

  private func writeAll(_ text: String) throws(SystemError) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      // `unsafe`: the pointer is only used during this call, and the kernel reads at most the buffer's count.
      bytes = try bytes.dropFirst(
        systemCall("write", Terminal.path) {
          unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        })
    }
  }
}
