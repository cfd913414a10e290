import Dispatch
import GatehouseBase
import HangGuard
import Testing

/// Each in a process of its own: strict mode and the counter are one for a process.
struct SlowWorkTests {
  @Test func `slow work on a quick queue is counted, and elsewhere it is not`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      StrictMode.turnOff()
      let quick = DispatchQueue(label: "test.quick")
      SlowWork.guardQueue(quick)
      SlowWork.begins(.file)
      DispatchQueue(label: "test.other").sync { SlowWork.begins(.file) }
      #expect(SlowWork.timesSeen == 0)
      quick.sync { SlowWork.begins(.file) }
      DispatchQueue(label: "test.child", target: quick).sync { SlowWork.begins(.socket) }
      #expect(SlowWork.timesSeen == 2)
    }
  }

  @Test(arguments: SlowWork.Kind.allCases)
  func `in strict mode slow work on a quick queue stops the process and says what and where`(
    _ kind: SlowWork.Kind
  ) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [name = kind.rawValue as String] in
      endIfItHangs()
      StrictMode.turnOn()
      let quick = DispatchQueue(label: "test.quick")
      SlowWork.guardQueue(quick)
      guard let kind = SlowWork.Kind(rawValue: name) else { return }
      quick.sync { SlowWork.begins(kind) }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("\(kind.rawValue) began on test.quick"))
  }
}
