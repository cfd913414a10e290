import GatehouseSystem
import Glibc
import HangGuard
import Testing

struct SignalPipeTests {
  @Test func `signals come before input, in their order`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let input = try Self.pipeWithInput()
      let signals = try SignalPipe([.user1, .user2])
      for signal in [SIGUSR2, SIGUSR1, SIGUSR2] { raise(signal) }
      for expected in [Signal.user2, .user1, .user2] { #expect(try signals.next(orInputOf: input) == expected) }
      #expect(try signals.next(orInputOf: input) == nil)
      signals.end()
    }
  }

  /// Nothing takes it: the reader has its line already, or the prompt has come into the background.
  @Test func `a signal that was not taken does at the end what it does by default`() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      endIfItHangs()
      let signals = try SignalPipe([.interrupt, .terminate])
      raise(SIGTERM)
      signals.end()
    }
  }

  /// The system may have chosen another thread for a signal, and that thread may be slow to run its handler.
  @Test func `a handler that is late loses no signal`() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      endIfItHangs()
      let signals = try SignalPipe([.terminate])
      let handler = Self.handler(of: SIGTERM)
      signals.end()
      handler(SIGTERM)
    }
  }

  @Test func `a handler that is late tells the next prompt, if there is one`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let first = try SignalPipe([.terminate])
      let handler = Self.handler(of: SIGTERM)
      first.end()
      let second = try SignalPipe([.terminate])
      handler(SIGTERM)
      #expect(try second.next(orInputOf: Self.pipeWithInput()) == .terminate)
      second.end()
    }
  }

  private static func handler(of signal: Int32) -> @convention(c) (Int32) -> Void {
    var action = sigaction()
    // `unsafe`: the kernel writes one `sigaction`, whose handler is the pipe's.
    unsafe sigaction(signal, nil, &action)
    return unsafe action.__sigaction_handler.sa_handler
  }

  @Test func `what a signal did before it does again`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      Glibc.signal(SIGUSR2, SIG_IGN)
      let signals = try SignalPipe([.user1, .user2])
      #expect(!Signal.user2.isIgnored)
      raise(SIGUSR2)
      signals.end()
      #expect(Signal.user2.isIgnored && !Signal.user1.isIgnored)
    }
  }

  /// The reading end of a pipe with a byte in it.
  private static func pipeWithInput() throws -> Int32 {
    var ends: [Int32] = [-1, -1]
    // `unsafe`: the kernel writes two descriptors, and reads one byte.
    try #require(unsafe pipe(&ends) == 0)
    try #require(unsafe write(ends[1], [1], 1) == 1)
    return ends[0]
  }
}
