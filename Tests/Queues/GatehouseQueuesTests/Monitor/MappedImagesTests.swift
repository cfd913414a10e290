import Foundation
import GatehouseWaits
import HangGuard
import Testing

@testable import GatehouseQueues

/// Names for addresses, in a process whose mapped files change.
struct MappedImagesTests {
  @Test func `a report is named while a mapped file cannot be read`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      // Simulates a file that another thread unmaps: the kernel lists the mapping, and reading it crashes.
      guard mapsUnreadably("/etc/passwd") else { exit(2) }
      WaitMonitor.start(.keep)
      TwoQueues().cross()
      let report = WaitMonitor.reports.map { "\($0)" }.joined()
      exit(report.contains("TwoQueues.swift:") || report.contains("WaitPolicyTests.swift:") ? 0 : 1)
    }
  }

  @Test(arguments: [
    "", "\n", "nonsense", "zz-qq r--p 00000000 fd:00 1 /lib/a.so", "2000-1000 r--p 00000000 fd:00 1 /lib/a.so",
    "1000-2000-3000 r--p 0 fd:00 1 /lib/a.so", "1000-2000 r--p 00000000 fd:00 1 ", "ffffffffffffffff0-1 r--p 0 0 0 /a",
  ]) func `an odd line of the kernel's list is passed over`(line: String) {
    let images = MappedImages(maps: line + "\n5000-6000 r-xp 00000000 fd:00 1   /opt/my program\n")
    #expect(images.programName == "my program")
    #expect(images.location(of: 0x5010) == "my program + 0x10")
    #expect(images.location(of: 0x6000) == "0x6000")
    #expect(images.imageName(of: 0x1800) == nil)
  }

  @Test func `the list of mappings is read to its end`() {
    let maps = MappedImages.maps(of: "self")
    #expect(maps.utf8.count > 4_096 && maps.contains("[stack]"))
  }

  @Test func `an image is what all its mappings span`() {
    let images = MappedImages(
      maps: """
        1000-2000 r--p 00000000 fd:00 1 /opt/program
        2000-3000 r-xp 00001000 fd:00 1 /opt/program
        7000-8000 r--p 00000000 fd:00 2 /lib/liba.so
        9000-a000 r-xp 00001000 fd:00 2 /lib/liba.so
        b000-c000 rw-p 00000000 00:00 0 [heap]
        f000-f800 r--p 00000000 fd:00 1 /opt/program
        """)
    #expect(images.programName == "program")
    #expect(images.location(of: 0x2001) == "program + 0x1001")
    #expect(images.location(of: 0x9fff) == "liba.so + 0x2fff")
    #expect(images.imageName(of: 0xb001) == nil)
    #expect(images.imageName(of: 0x5000) == nil && images.imageName(of: 0xf001) == nil, "mapped again, elsewhere")
  }
}

private func mapsUnreadably(_ path: String) -> Bool {
  // `unsafe`: C reads the path during the call; the mapping is never read or freed.
  let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
  return unsafe mmap(nil, 4096, PROT_NONE, MAP_PRIVATE, file, 0) != MAP_FAILED
}
