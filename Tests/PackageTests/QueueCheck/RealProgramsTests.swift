import Foundation
import Testing

/// Real programs with threads, allocators and runtimes of their own print under the tool what they print alone.
struct RealProgramsTests {
  struct Program: Sendable, CustomTestStringConvertible {
    let command: [String]
    /// What a script starts.
    var needs: String?
    var testDescription: String { needs ?? command[0] }

    /// The program that runs; nil where it is not installed. A script that picks one is not the program.
    var path: String? { needs == nil || needs.flatMap(Self.path) != nil ? Self.path(of: command[0]) : nil }

    private static func path(of name: String) -> String? {
      let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").filter {
        !$0.hasSuffix("/shims")
      }
      return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
  }

  static let programs: [Program] = [
    Program(command: [
      "python3", "-c",
      """
      import sys, threading, queue, concurrent.futures as futures
      with futures.ThreadPoolExecutor(8) as pool: print(sum(pool.map(lambda n: n * n, range(500))))
      lines = queue.Queue(3)
      def fill():
        for n in range(50): lines.put(n)
        lines.put(None)
      threading.Thread(target=fill).start()
      print(sum(iter(lines.get, None)))
      sys.setswitchinterval(1e-5)
      def count():
        for n in range(200000): pass
      counters = [threading.Thread(target=count) for _ in range(4)]
      for counter in counters: counter.start()
      for counter in counters: counter.join()
      """,
    ]),
    Program(command: [
      "node", "-e",
      """
      const { Worker } = require("worker_threads"), crypto = require("crypto");
      const key = crypto.pbkdf2Sync("secret", "salt", 1000, 16, "sha256").toString("hex");
      crypto.pbkdf2("secret", "salt", 1000, 16, "sha256", (error, found) => {
        const code = "require('worker_threads').parentPort.postMessage(6 * 7)";
        new Worker(code, { eval: true }).on("message", (n) => console.log(found.toString("hex") === key, n));
      });
      """,
    ]),
    Program(
      command: [
        "sh", "-c",
        """
        \(ShellWait.function)
        folder=$(mktemp -d)
        redis-server --port 0 --unixsocket "$folder/socket" --save "" > "$folder/log" &
        ask() { redis-cli -s "$folder/socket" "$@"; }
        await '[ -S "$folder/socket" ]'
        for turn in 1 2 3; do ask incr turns; done
        ask shutdown nosave
        wait
        rm -r "$folder"
        """,
      ], needs: "redis-server"),
    Program(command: ["java", "-XshowSettings:vm", "-version"]),
    Program(command: ["clang", "--version"]),
    Program(command: ["rustc", "--version"]),
  ].filter { $0.path != nil }

  @Test(arguments: programs) func `it prints what it prints alone`(program: Program) async throws {
    let path = try #require(program.path), arguments = Array(program.command.dropFirst())
    let alone = try await ChildProcess(path, arguments).run()
    let watched = try await QueueCheckScene.run([path] + arguments)
    #expect(alone.status == 0 && watched.status == 0, "\(watched)")
    #expect(watched.output == alone.output, "\(watched)")
    #expect(!watched.errors.contains("gate queuecheck:") || watched.errors.contains("note:"), "\(watched)")
  }
}
