import Foundation
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
  @Test(arguments: ["-f 1", "-n 12"])
  func `a program that has no room for a record`(limit: String) async throws {
    let command = "ulimit \(limit); exec \"$0\" queuecheck -- true"
    let outcome = try await ChildProcess("bash", ["-c", command, "\(Repository.products)/gate"]).run()
    #expect(outcome.status == 2 && outcome.output == "", "\(outcome)")
    #expect(outcome.errors.hasPrefix("gate queuecheck: nothing was watched: no process sent a record: "), "\(outcome)")
    #expect(outcome.errors.hasSuffix("(raise the limits: ulimit -f, -n, -v)\n"), "\(outcome)")
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
