import Foundation
import GatehouseSystem
import Glibc
import HangGuard
import Testing

struct ProgramTests {
  private static func shell(_ script: String, isApart: Bool = false) -> Program {
    Program("/bin/sh", ["sh", "-c", script], environment: ["PATH": "/usr/bin:/bin"], isApart: isApart)
  }

  @Test func `how a program ended is told as a shell does`() throws {
    #expect(try Self.shell("exit 7").start().wait() == .exited(7))
    let killed = try Self.shell("kill -TERM $$").start().wait()
    #expect(killed == .killed(by: .terminate) && killed.status == 128 + SIGTERM)
    let program = try Self.shell("exec sleep 600").start()
    Signal.kill.send(to: program.id)
    #expect(try program.wait() == .killed(by: .kill))
    // It was waited for: there is nothing to wait for any more.
    let error = #expect(throws: SystemError.self) { try program.wait() }
    #expect(error?.number?.rawValue == ECHILD)
  }

  @Test func `until the end was told, the program's number is no other process's`() throws {
    let program = try Self.shell("exit 0").start()
    var was = -2
    #expect(try program.wait(ended: { was = Int(kill(program.id, 0)) }) == .exited(0))
    #expect(was == 0)
    #expect(kill(program.id, 0) == -1)
  }

  @Test func `a program that cannot be started is an error with its path`() throws {
    let error = #expect(throws: SystemError.self) { try Program("/nowhere/x", ["x"], environment: [:]).start() }
    #expect(error?.number == .noSuchFile && error?.path == "/nowhere/x")
  }

  @Test func `a program apart reads nothing, writes to standard error, and has a group of its own`() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      endIfItHangs()
      signal(SIGPIPE, SIG_IGN)
      let script = """
        cat; echo said; echo "group $(ps -o pgid= -p $$ | tr -d ' ') of $$"; yes | head -n 1
        grep SigIgn /proc/self/status
        """
      let program = Program("/bin/bash", ["bash", "-c", script], environment: ["PATH": "/usr/bin:/bin"], isApart: true)
      let running = try program.start()
      #expect(try running.wait() == .exited(0))
    }
    let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
    #expect(errors.first == "said" && errors.contains("y"), "\(errors)")
    let ignored = errors.first { $0.hasPrefix("SigIgn:") }?.split(separator: "\t").last.flatMap {
      UInt64($0, radix: 16)
    }
    #expect(ignored.map { $0 & 1 << (SIGPIPE - 1) } == 0, "\(errors)")
    let group = errors.first { $0.hasPrefix("group ") }?.split(separator: " ") ?? []
    #expect(group.count == 4 && group[1] == group[3], "\(errors)")
    #expect(result?.standardOutputContent.isEmpty == true)
  }

  @Test func `a program has this one's environment, with what is set in it`() async throws {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      // `unsafe`: the C library copies the strings up to their zero bytes.
      for name in ["SET", "REMOVED", "KEPT"] { unsafe setenv(name, "old", 1) }
      let script = #"[ "$SET $KEPT ${REMOVED-none} $NEW" = "new old none =" ] && [ "$(env | grep -c ^SET)" = 1 ]"#
      let program = Program("/bin/sh", ["sh", "-c", script], setting: ["SET": "new", "REMOVED": nil, "NEW": "="])
      let running = try program.start()
      #expect(try running.wait() == .exited(0))
    }
  }

  @Test func `only a plain file that may be run can be started`() async throws {
    try await withTemporaryFolder { path in
      try (path + "/file").fill("#!/bin/sh")
      #expect(!Program.canStart(path + "/none") && !Program.canStart(path))
      if geteuid() != 0 { #expect(!Program.canStart(path + "/file")) }
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path + "/file")
      try (path + "/link").makeLink(to: path + "/file")
      #expect(Program.canStart(path + "/file") && Program.canStart(path + "/link"))
      try (path + "/pipe").makePipe()
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path + "/pipe")
      #expect(!Program.canStart(path + "/pipe"))
    }
  }

  @Test func `a relative path is made absolute by the working folder`() throws {
    #expect(try CurrentProcess.absolute("a/b") == FileManager.default.currentDirectoryPath + "/a/b")
    #expect(try CurrentProcess.absolute("/a/b") == "/a/b")
    #expect(try FileStatus.at(CurrentProcess.executable())?.kind == .file)
  }
}

struct SignalWatchTests {
  @Test func `a signal that comes as soon as the watch is there is heard, and ends the program after it`() async throws
  {
    let result = await #expect(processExitsWith: .signal(SIGTERM), observing: [\.standardOutputContent]) {
      endIfItHangs()
      let (heard, said) = AsyncStream.makeStream(of: Signal.self)
      let watch = SignalWatch([.terminate, .hangUp]) { said.yield($0) }
      for signal in [Signal.terminate, .hangUp, .terminate] {
        signal.send(to: CurrentProcess.id)
        for await other in heard {
          guard other == signal else { exit(1) }
          break
        }
      }
      try InheritedDescriptor.output.write(Array("all were heard".utf8))
      watch.cancel()
      Signal.terminate.send(to: CurrentProcess.id)
      while true { await Task.yield() }
    }
    // Otherwise the first signal has ended it.
    let said = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(said.contains("all were heard"))
  }
}
