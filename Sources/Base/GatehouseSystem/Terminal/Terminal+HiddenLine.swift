import GatehouseBase
import Glibc

extension Terminal {
  /// Asks for a line and does not show what is typed.
  ///
  /// The keys work as at a shell's prompt: interrupt and quit end the program by their signal, and the terminal shows
  /// again what is typed. So it does while the program is stopped (Ctrl-Z); when the program goes on, what is typed is
  /// hidden again and the question is repeated. A signal that the program's starter ignores stays ignored. So does the
  /// `readpassphrase` of BSD.
  package func hiddenLine(_ question: String) throws(SystemError) -> [UInt8] {
    let prompt = HiddenPrompt(descriptor: descriptor, before: try HiddenPrompt.settings(of: descriptor))
    let ending: [Signal] = [.interrupt, .quit, .terminate, .hangUp]
    let watch = SignalWatch((ending + [.terminalStop, .goOn]).filter { !$0.isIgnored }) { signal in
      if signal == .goOn { return prompt.hide() }  // also after a SIGSTOP, which cannot be heard
      prompt.show()
      prompt.write("\n")
      CurrentProcess.obey(signal)
      // It was stopped, and goes on.
      prompt.hide()
      prompt.write(question)
    }
    defer {
      prompt.show()
      watch.cancel()
      prompt.show()  // a signal may have hidden it meanwhile
    }
    try prompt.begin(question)
    let line = try readLine()
    prompt.write("\n")
    return line
  }
}

/// What a prompt does to the terminal. Any thread.
private struct HiddenPrompt: Sendable {
  let descriptor: Int32
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
    try set(hidden)
    try writeAll(question)
  }

  /// From now on the terminal does not show what is typed.
  func hide() { try? set(hidden) }

  /// The terminal is again as it was.
  func show() { try? set(before) }

  func write(_ text: String) { try? writeAll(text) }

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
