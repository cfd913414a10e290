import Foundation
import GatehouseSystem
import GatehouseWaits
import HangGuard
import Testing

@testable import GatehouseQueues

/// The cost of the names in a report, in numbers that do not depend on the machine.
struct ReportNamesTests {
  @Test func `all readers of a report share one look-up`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      WaitMonitor.start(.keep)
      TwoQueues().cross()
      guard let report = WaitMonitor.reports.first, MappedImages.lookUps == 0 else { exit(2) }
      let texts = UnwatchedLock(Set<String>())
      // The log, the last words and others, at once.
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        let text = "\(report)"
        texts.withLock { _ = $0.insert(text) }
      }
      exit(MappedImages.lookUps == 1 && texts.withLock { $0.count } == 1 ? 0 : 1)
    }
  }

  @Test func `an excerpt has a small part of the debug information`() throws {
    let program = try CurrentProcess.executable(), images = MappedImages(maps: MappedImages.maps(of: "self"))
    let addresses = callers().compactMap { images.file(of: $0) }.filter { $0.path == program }.map { UInt64($0.offset) }
    #expect(!addresses.isEmpty)
    let file = try #require(ELFFile(path: program))
    let all = file.ranges(of: [".debug_info", ".debug_line"]).values.reduce(0) { $0 + $1.count }
    let excerpt = try #require(try DebugExcerpt(of: program, for: addresses))
    #expect(excerpt.debugBytes > 0 && excerpt.debugBytes < all / 20, "\(excerpt.debugBytes) of \(all)")
    #expect(try DebugExcerpt(of: program, for: [])?.debugBytes == 0)
  }

  @Test func `a name has the line of its call`() throws {
    let (stack, line) = (callers(), #line)
    let own = MappedImages.symbolsOfThisProcess(stack).flatMap(\.self).first { $0.file == #filePath }
    // In release the name may begin with "specialized".
    #expect(own?.line == line && own?.name.contains("ReportNamesTests.") == true, "\(own as Any)")
  }

  @Test func `a file without debug information needs no excerpt`() throws {
    try #expect(DebugExcerpt(of: "/proc/self/maps", for: [1]) == nil)
    try #expect(DebugExcerpt(of: "/nowhere", for: [1]) == nil)
  }
}
