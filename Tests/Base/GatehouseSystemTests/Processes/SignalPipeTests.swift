import GatehouseSystem
import Glibc
import Testing

@Suite struct SignalPipeTests {
  @Test func `signals come before input, in their order`() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
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
      alarm(60)
      let signals = try SignalPipe([.interrupt, .terminate])
      raise(SIGTERM)
      signals.end()
    }
  }

  @Test func `what a signal did before it does again`() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
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
