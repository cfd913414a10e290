import Foundation
import GatehouseJOSE
import Testing

/// Programs that cannot be watched run to their end, as without us; then the reason is told.
struct NotWatchedTests {
  private static let source = """
    #include <stdio.h>
    #include <string.h>
    #include <unistd.h>
    int main(int count, char **arguments) {
      if (count > 1) usleep(1500000);
      puts("ran");
      return 7;
    }
    """

  /// Builds the program, and runs commands on it: `PROGRAM` is its path.
  private func expect(_ reason: String, built options: [String], _ command: [String] = ["PROGRAM"]) async throws {
    try await TemporaryFolder.with { folder in
      let program = "\(folder)/program"
      try Data(Self.source.utf8).write(to: URL(filePath: "\(program).c"))
      let built = try await ChildProcess("clang", options + ["-o", program, "\(program).c"]).run()
      try #require(built.succeeded, "\(built)")
      let command = command.map { $0.replacing("PROGRAM", with: program) }
      let outcome = try await QueueCheckScene.run(command)
      #expect(outcome.status == 2 && outcome.output == "ran\n", "\(outcome)")
      #expect(outcome.errors.contains("nothing was watched: ") && outcome.errors.contains(reason), "\(outcome)")
    }
  }

  @Test func `a static program`() async throws { try await expect("linked statically", built: ["-static"]) }

  @Test func `a script that starts one`() async throws {
    try await expect("linked statically", built: ["-static"], ["sh", "-c", "PROGRAM slowly; exit 9"])
  }

  @Test func `a program whose environment was cleared`() async throws {
    try await expect("without the library", built: [], ["env", "-i", "PROGRAM", "slowly"])
  }

  /// It ends before the first look at it. The program that starts it notes that its environment drops the library.
  @Test(arguments: [
    ["env", "-i", "PROGRAM"], ["sh", "-c", "env -i PROGRAM"],
    ["python3", "-c", "import subprocess; raise SystemExit(subprocess.run(['PROGRAM'], env={}).returncode)"],
  ])
  func `a program of a moment whose environment was cleared`(command: [String]) async throws {
    let outcome = try await run(command)
    #expect(outcome.output == "ran\n", "\(outcome)")
    #expect(outcome.errors.contains("it was started without the library (its environment was cleared)"), "\(outcome)")
    let kept = try await run(["env", "PROGRAM"])
    #expect(kept.status == 7 && kept.output == "ran\n" && !kept.errors.contains("started without"), "\(kept)")
  }

  @Test func `programs whose environment was cleared are named once, and those without room are counted`() async throws
  {
    let outcome = try await run([
      "python3", "-c",
      """
      import os, subprocess
      for number in range(20): os.symlink('PROGRAM', f'PROGRAM{number}')
      for number in list(range(20)) + list(range(16)): subprocess.run([f'PROGRAM{number}'], env={})
      """,
    ])
    #expect(outcome.output == String(repeating: "ran\n", count: 36), "\(outcome)")
    let lines = outcome.errors.split(separator: "\n").filter { $0.contains("started without the library") }
    #expect(lines.count == 17 && Set(lines).count == 17, "\(outcome)")
    #expect(lines.last?.contains(": 4 more programs were started without the library") == true, "\(outcome)")
  }

  private func run(_ command: [String]) async throws -> ChildProcess.Outcome {
    try await TemporaryFolder.with { folder in
      let program = "\(folder)/program"
      try Data(Self.source.utf8).write(to: URL(filePath: "\(program).c"))
      let built = try await ChildProcess("clang", ["-o", program, "\(program).c"]).run()
      try #require(built.succeeded, "\(built)")
      return try await QueueCheckScene.run(command.map { $0.replacing("PROGRAM", with: program) }, ["--verbose"])
    }
  }

  @Test func `a start without a path or without arguments fails as it does without us`() async throws {
    let source = """
      #define _GNU_SOURCE
      #include <errno.h>
      #include <stdio.h>
      #include <unistd.h>
      int main(void) {
        char *nothing = NULL, **none = NULL, *empty[] = {NULL};
        printf("%d", execve(nothing, none, empty));
        printf(" %d", errno == EFAULT);
        printf(" %d", fexecve(-1, none, empty));
        printf(" %d\\n", errno == EINVAL);
      }
      """
    let outcome = try await SmallProgram.run(c: source, ["--complete"])
    #expect(outcome.status == 0 && outcome.output == "-1 1 -1 1\n" && outcome.errors.isEmpty, "\(outcome)")
  }

  /// The record is the parent's. A child that starts another program has a record of its own then.
  @Test(arguments: [
    ("both(); _exit(0);", 4), ("take(&one); take(&other); _exit(0);", 0),
    ("both(); execlp(\"true\", \"true\", NULL);", 0),
  ])
  func `a child of fork that takes locks under locks and goes on is counted`(child: String, status: Int32) async throws
  {
    let source = """
      #include <pthread.h>
      #include <stdio.h>
      #include <sys/wait.h>
      #include <unistd.h>
      static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
      static void take(pthread_mutex_t *mutex) {
        pthread_mutex_lock(mutex);
        pthread_mutex_unlock(mutex);
      }
      static void both(void) {
        pthread_mutex_lock(&one);
        take(&other);
        pthread_mutex_unlock(&one);
      }
      int main(void) {
        both();
        if (fork() == 0) { \(child) }
        wait(NULL);
        puts("ran");
      }
      """
    let outcome = try await SmallProgram.run(c: source, ["--complete"])
    #expect(outcome.status == status && outcome.output == "ran\n", "\(outcome)")
    let line = """
      gate queuecheck: the record was incomplete: children of fork that took locks under locks, and started no other \
      program: 1 not watched

      """
    #expect(outcome.errors == (status == 0 ? "" : line), "\(outcome)")
  }

  /// A sanitizer that is linked into the program hands its calls on; one in a library must be loaded first.
  /// clang links the sanitizer in; gcc, where it is installed, takes the library.
  @Test(
    arguments: ["address", "thread"],
    ["clang", "gcc"].filter { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") })
  func `a program with a sanitizer is watched, and runs`(name: String, compiler: String) async throws {
    let source = """
      #include <pthread.h>
      #include <stdio.h>
      static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
      static void hold(pthread_mutex_t *outer, pthread_mutex_t *inner) {
        pthread_mutex_lock(outer);
        pthread_mutex_lock(inner);
        pthread_mutex_unlock(inner);
        pthread_mutex_unlock(outer);
      }
      int main(void) {
        hold(&one, &other);
        hold(&other, &one);
        puts("ran");
      }
      """
    try await TemporaryFolder.with { folder in
      let program = "\(folder)/program"
      try Data(source.utf8).write(to: URL(filePath: "\(program).c"))
      let built = try await ChildProcess(
        compiler, ["-g", "-fsanitize=\(name)", "-o", program, "\(program).c"]
      ).run()
      try #require(built.succeeded, "\(built)")
      let outcome = try await QueueCheckScene.run([program])
      #expect(outcome.status == 3 && outcome.output == "ran\n", "\(outcome)")
      #expect(outcome.errors.contains("potential deadlock: lock one → lock other → lock one"), "\(outcome)")
      // A program that a shell starts has the same environment. The sanitizer's library is not the first one there.
      let child = try await QueueCheckScene.run(["sh", "-c", "\(program); exit 0"])
      #expect(child.output == "ran\n" && child.status == 3, "\(child)")
    }
  }

  /// The program has the library, and cannot make a file for its record.
  @Test func `a program that has no room for a record`() async throws {
    let outcome = try await Self.limited("-f 1")
    #expect(outcome.status == 2 && outcome.output == "", "\(outcome)")
    #expect(outcome.errors.hasPrefix("gate queuecheck: nothing was watched: no process sent a record: "), "\(outcome)")
    #expect(outcome.errors.hasSuffix("(raise the limits: ulimit -f, -n, -v)\n"), "\(outcome)")
  }

  /// Dispatch traps where it cannot open a file. With fewer than four, the loader cannot open the C library.
  @Test(arguments: Array(4...48) + [256])
  func `too few open files are refused before Dispatch needs them`(count: Int) async throws {
    let outcome = try await Self.limited("-n \(count)")
    #expect(outcome.output == "", "\(outcome)")
    if count < 3 + 32 || count < 256 && outcome.status != 0 {
      #expect(outcome.status == 2, "\(outcome)")
      let line =
        "gate: 32 free file descriptors are needed (Too many open files); raise the limit, for example: ulimit -n 256\n"
      #expect(outcome.errors == line, "\(outcome)")
    } else {
      #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
    }
  }

  @Test func `too few open files are told as JSON to those who ask for it`() async throws {
    let command = "ulimit -n 20; \"$0\" whoami --json --home queuecheck; echo \"status $?\""
    let outcome = try await ChildProcess("bash", ["-c", command, "\(Repository.products)/gate"]).run()
    let reason =
      "24 free file descriptors are needed (Too many open files); raise the limit, for example: ulimit -n 256"
    #expect(outcome.errors == "gate: \(reason)\n", "\(outcome)")
    let answer = #"{"error":{"code":"internalError","message":"\#(reason)","status":1}}"#
    #expect(outcome.output == "\(answer)\nstatus 1\n", "\(outcome)")
  }

  /// The limit that a watched program may count on is not changed.
  @Test func `a soft limit that is too low is raised, but not for a watched program`() async throws {
    try await TemporaryFolder.with { folder in
      let gate = "ulimit -Sn 20; \"$0\""
      func run(_ command: String) async throws -> ChildProcess.Outcome {
        try await ChildProcess("bash", ["-c", command, "\(Repository.products)/gate", folder]).run()
      }
      let raised = try await run("\(gate) --home \"$1\" whoami")
      #expect(raised.status == 3 && raised.errors.contains("no user is signed in"), "\(raised)")
      let kept = try await run("\(gate) queuecheck -- true")
      #expect(kept.status == 2 && kept.errors.hasPrefix("gate: 32 free file descriptors are needed ("), "\(kept)")
    }
  }

  /// A record is an open file of `gate`.
  @Test func `programs whose records cannot be kept are counted`() async throws {
    let programs = "for number in $(seq 60); do /bin/true; done"
    let command = "ulimit -n 64; exec \"$0\" queuecheck --complete -- sh -c '\(programs)'"
    let outcome = try await ChildProcess("bash", ["-c", command, "\(Repository.products)/gate"]).run()
    #expect(outcome.status == 4 && outcome.output == "", "\(outcome)")
    let line = "gate queuecheck: the record was incomplete: programs whose records were not kept: "
    #expect(outcome.errors.hasPrefix(line) && outcome.errors.hasSuffix("; raise the limit: ulimit -n)\n"), "\(outcome)")
  }

  /// The program that runs tests comes last. Most compilers' records do not get a file.
  @Test(arguments: [["sh", "./swift", "clang"], ["./swift", "test", "true"]])
  func `records that are not reported take no room from others, and are not counted`(command: [String]) async throws {
    let script = """
      cp /bin/true clang; cp /bin/true swiftpm-testing-helper; cp /bin/true true
      printf '%s\\n' '#!/bin/sh' "for number in $(seq -s ' ' 60); do ./$3; done; ./swiftpm-testing-helper" > swift
      chmod +x swift; ulimit -n 64; exec "$0" queuecheck --complete --json written -- "$1" "$2"
      """
    try await TemporaryFolder.with { folder in
      var child = ChildProcess("bash", ["-c", script, "\(Repository.products)/gate"] + command)
      child.folder = folder
      let outcome = try await child.run()
      #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
      let written = try Data(contentsOf: URL(filePath: "\(folder)/written"))
      #expect(try JSONValue(parsing: Array(written), limits: .report)["processes"] == 1, "\(outcome)")
    }
  }

  private static func limited(_ limit: String) async throws -> ChildProcess.Outcome {
    let command = "ulimit \(limit); exec \"$0\" queuecheck -- true"
    return try await ChildProcess("bash", ["-c", command, "\(Repository.products)/gate"]).run()
  }

  @Test func `a file that is no program is refused with the reason`() async throws {
    try await TemporaryFolder.with { folder in
      let program = "\(folder)/program"
      try Data("\u{7F}ELF no loader".utf8).write(to: URL(filePath: program))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
      let outcome = try await QueueCheckScene.run([program])
      #expect(outcome.status == 2 && outcome.errors.contains("cannot be started"), "\(outcome)")
    }
  }
}
