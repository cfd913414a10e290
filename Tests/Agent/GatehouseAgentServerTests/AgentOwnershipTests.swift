import Foundation
import GatehouseAgentServer
import GatehouseBase
import GatehouseSystem
import Testing

/// Who owns an agent's folder, with the owner's and the second process's clocks in the tests' hands. Both are this
/// process, and the end of the owner is the release of its lock.
struct AgentOwnershipTests {
  private final class Owner {
    var ownership: AgentOwnership?
    private(set) var ended: [Int] = []

    init(_ ownership: AgentOwnership?) { self.ownership = ownership }

    /// Ends the owner as the kernel does.
    func end(_ process: Int32, after seconds: Int) {
      #expect(process == CurrentProcess.id)
      ended.append(seconds)
      ownership = nil
    }
  }

  private static func moment(_ seconds: Double, boot: String = "boot") -> AwakeMoment {
    AwakeMoment(bootID: boot, seconds: seconds)
  }

  /// Asks for a folder, without patience.
  private static func ask(
    _ folder: String, at moment: AwakeMoment, silence: Int = 60, end: (Int32, Int) -> Void = { _, _ in }
  ) throws -> AgentOwnership? {
    let answer = try AgentOwnership.ask(for: folder, silence: silence, patience: 0, now: { moment }, end: end)
    switch answer {
    case .owner(let ownership): return ownership
    case .refused(let words):
      #expect(words.hasPrefix("process \(CurrentProcess.id) runs the agent"), "\(words)")
      return nil
    }
  }

  private func withFolder(_ body: (String) throws -> Void) throws {
    let path = try OpenFolder.makeTemporary("gatehouse-owner-", in: NSTemporaryDirectory())
    defer { try? OpenFolder.removeAll(at: path) }
    try body(path)
  }

  @Test func `an owner that cannot write its signs of life, and answers, is not ended`() throws {
    try withFolder { folder in
      let owner = Owner(try Self.ask(folder, at: Self.moment(1000)))
      let answer = try AgentOwnership.ask(
        for: folder, silence: 60, patience: 0, now: { Self.moment(1100) }, answers: { $0 == CurrentProcess.id },
        end: owner.end)
      guard case .refused(let words) = answer else {
        Issue.record("it was ended")
        return
      }
      #expect(words.hasPrefix("process \(CurrentProcess.id) cannot write its signs of life") && owner.ended == [])
    }
  }

  @Test func `an owner that gives signs of life stays, and one that is silent for too long is ended`() throws {
    try withFolder { folder in
      let owner = Owner(try Self.ask(folder, at: Self.moment(1000)))
      for seconds in [1000, 1030, 1060.0] {
        #expect(try Self.ask(folder, at: Self.moment(seconds), end: owner.end) == nil)
      }
      try owner.ownership?.beat(at: Self.moment(1060))
      #expect(try Self.ask(folder, at: Self.moment(1120), end: owner.end) == nil)
      #expect(owner.ended == [])
      let next = try Self.ask(folder, at: Self.moment(1121), end: owner.end)
      #expect(next != nil && owner.ended == [61])
      // The next owner has given a sign of its own.
      #expect(try Self.ask(folder, at: Self.moment(1181), end: owner.end) == nil)
      #expect(owner.ended == [61])
      withExtendedLifetime(next) {}
    }
  }

  @Test func `the owner's own promise counts, whatever the second process would have`() throws {
    try withFolder { folder in
      let owner = Owner(try Self.ask(folder, at: Self.moment(0), silence: 600))
      #expect(try Self.ask(folder, at: Self.moment(600), silence: 1, end: owner.end) == nil)
      #expect(try Self.ask(folder, at: Self.moment(601), silence: 1, end: owner.end) != nil)
      #expect(owner.ended == [601])
    }
  }

  @Test func `an owner that does not end keeps the folder`() throws {
    try withFolder { folder in
      let owner = try Self.ask(folder, at: Self.moment(0))
      let answer = try AgentOwnership.ask(
        for: folder, silence: 60, patience: 0, now: { Self.moment(100) }, end: { _, _ in })
      guard case .refused(let words) = answer else { return #expect(Bool(false), "there are two owners") }
      #expect(words == "process \(CurrentProcess.id) has been silent for 100 s, did not end, and runs the agent")
      withExtendedLifetime(owner) {}
    }
  }

  @Test(arguments: [
    "", "{}", "SECRET", String(repeating: "\0", count: 256), #"{"process":1,"boot":"boot","awakeMilliseconds":0}"#,
    #"{"process":1,"boot":"boot","awakeMilliseconds":0,"silenceSeconds":60}"#,
    #"{"process":OWN,"boot":"other","awakeMilliseconds":0,"silenceSeconds":60}"#,
    #"{"process":OWN,"boot":"boot","awakeMilliseconds":1e9,"silenceSeconds":60}"#,
    #"{"process":OWN,"boot":"boot","awakeMilliseconds":0,"silenceSeconds":0}"#,
  ])
  func `an owner without a sign of its own on this boot is never ended`(_ sign: String) throws {
    try withFolder { folder in
      let owner = Owner(try Self.ask(folder, at: Self.moment(0)))
      let text = sign.replacing("OWN", with: "\(CurrentProcess.id)")
      try OpenFile(folder + "/lock", .overwriting).write(Array(text.utf8))
      #expect(try Self.ask(folder, at: Self.moment(1_000_000), end: owner.end) == nil)
      #expect(owner.ended == [])
    }
  }

  @Test func `a moment goes on`() {
    let (first, second) = (AwakeMoment.now(), AwakeMoment.now())
    #expect(first.bootID == second.bootID && first.seconds <= second.seconds && first.seconds > 0)
  }
}
