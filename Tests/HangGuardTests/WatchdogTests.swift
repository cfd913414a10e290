import Foundation
import Glibc
import HangGuard
import Testing

/// Each test has a watchdog that is quick, in a process of its own.
@Suite(.endsIfItHangs) struct WatchdogTests {
  @Test func `a child whose only thread is blocked is ended, and its place is said`() async throws {
    // The place is that of the exit test: the compiler expands the macro there.
    let line = #line + 1
    let child = try await #require(
      processExitsWith: .exitCode(Watchdog.exitStatus), observing: [\.standardErrorContent]
    ) {
      endIfItHangs(watchdog: Watchdog(naps: 10, ofMicroseconds: 1_000))
      while true { pause() }
    }
    let said = String(decoding: child.standardErrorContent, as: UTF8.self)
    #expect(said.hasSuffix("Still running:\n  HangGuardTests/WatchdogTests.swift:\(line)\n"), "\(said)")
  }

  @Test func `a hang is noted, though the child's standard error is dropped`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-notes-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let line = #line + 1
    await #expect(processExitsWith: .exitCode(Watchdog.exitStatus)) { [folder = folder as String] in
      endIfItHangs(watchdog: Watchdog(naps: 10, ofMicroseconds: 1_000, notes: EndNotes(folder: folder)))
      while true { pause() }
    }
    let noted = try String(contentsOfFile: "\(folder)/hangs", encoding: .utf8)
    #expect(noted.hasSuffix("Still running:\n  HangGuardTests/WatchdogTests.swift:\(line)\n"), "\(noted)")
  }

  @Test func `a child that blocks and ignores every signal is ended`() async {
    await #expect(processExitsWith: .exitCode(Watchdog.exitStatus)) {
      endIfItHangs()
      signal(SIGALRM, SIG_IGN)
      var all = sigset_t()
      // `unsafe`: the C library reads and writes one set.
      unsafe sigfillset(&all)
      unsafe pthread_sigmask(SIG_SETMASK, &all, nil)
      endIfItHangs(watchdog: Watchdog(naps: 10, ofMicroseconds: 1_000))
      while true { pause() }
    }
  }

  @Test func `what has ended is not watched, and what begins and ends is no hang`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      endIfItHangs()
      let watchdog = Watchdog(naps: 3, ofMicroseconds: 1)
      watchdog.end(watchdog.begin("ended"))
      // Far more naps than a hang has.
      usleep(100_000)
      exit(7)
    }
  }

  @Test func `the names of all that run are said, in their order`() async throws {
    let child = try await #require(
      processExitsWith: .exitCode(Watchdog.exitStatus), observing: [\.standardErrorContent]
    ) {
      endIfItHangs()
      let watchdog = Watchdog(naps: 1_000, ofMicroseconds: 1_000)
      watchdog.begin("first")
      let ended = watchdog.begin("ended")
      watchdog.begin("last")
      watchdog.end(ended)
      while true { pause() }
    }
    let said = String(decoding: child.standardErrorContent, as: UTF8.self)
    #expect(said.hasSuffix("Still running:\n  first\n  last\n"), "\(said)")
  }
}
