import Foundation
import GatehouseBase
import HangGuard
import Testing

/// What `gate queuecheck` says of programs that hang, and of those that only wait.
struct HangsTests {
  /// Each with what the report begins with.
  static let hangs: [String: String] = [
    "for itself": "wait for itself: queue queue → queue queue",
    "main for itself": "wait for itself: queue main → queue main",
    "a target for its child": "wait for itself: queue target → queue target",
    "two queues at once": "stall: queue ",
    "the pool": "pool exhausted: dispatch pool",
    "a pool behind its own queue": "pool exhausted: dispatch pool",
    "main that nobody drains": "undrained queue: queue main",
    "a thread that waits for main": "undrained queue: queue main",
    "a mutex of its own": "wait for itself: lock Hangs.swift:",
    "a barrier from its own reader": "wait for itself: queue queue → queue queue",
    "a barrier from its own reader, beside a main thread that works": "wait for itself: queue queue → queue queue",
    "a barrier behind one of two readers": "stall: lock Hangs.swift:",
    "a queue that waits for its own timer": "stall: ",
    "main, which a timer on main would wake": "stall: ",
    "a queue that waits for what it runs in an hour": "stall: ",
    "a semaphore beside a timer that was canceled": "stall: ",
    "a group in one of its members": "stall: ",
    "a condition that was signaled too early": "stall: ",
    "a semaphore that is never signaled": "stall: ",
    "operations that wait for each other": "stall: ",
    "an operation that waits for its queue": "stall: ",
    "two lazy globals": "stall: ",
    "tasks that block each other": "pool exhausted: Swift's pool",
  ]

  @Test(arguments: hangs.keys.sorted())
  func `what hangs is reported and ended`(name: String) async throws {
    let outcome = try await QueueCheckScene.play("hang", name, ["--stall", "1"])
    #expect(outcome.status == 3 && !outcome.output.contains("played"), "\(outcome)")
    #expect(outcome.errors.contains("\n\(try #require(Self.hangs[name]))"), "\(outcome)")
  }

  @Test func `every hang that the program knows is tried`() async throws {
    #expect(try await Set(QueueCheckScene.names(of: "hang")) == Set(Self.hangs.keys))
  }

  /// It waits on a futex that another process could reach, as far as the call says: only the memory tells.
  @Test func `a future of C++ whose promise is kept by no thread is a hang`() async throws {
    let outcome = try await SmallProgram.run(
      cxx: """
        #include <future>
        #include <unistd.h>
        int main() {
          alarm(\(Watchdog.seconds));
          std::promise<int> answer;
          answer.get_future().get();
        }
        """, ["--stall", "1"])
    #expect(outcome.status == 3 && outcome.errors.contains("\nstall: future program.cpp:6"), "\(outcome)")
  }

  @Test func `a hang is reported once`() async throws {
    let names = ["a group in one of its members", "tasks that block each other", "two queues at once"]
    for name in names + ["a mutex of its own", "a barrier from its own reader"] {
      let findings = try await QueueCheckScene.findings("hang", name, ["--stall", "1"])
      let hangs = findings.filter { ["stall", "pool exhausted", "wait for itself"].contains($0["kind"]?.string) }
      #expect(hangs.count == 1, "\(name): \(findings)")
      // Nor as what can happen, if it has.
      #expect(name != "two queues at once" || findings.count == 1, "\(findings)")
    }
  }

  @Test func `what waits for a signal that a thread may still give is a note and goes on`() async throws {
    for name in try await QueueCheckScene.names(of: "held-up") {
      let (outcome, notes) = try await QueueCheckScene.play("held-up", name, ["--stall", "1"], until: "^stall: queue ")
      #expect(outcome.status == 0 && outcome.output.contains("played"), "\(name): \(outcome)")
      #expect(outcome.errors.contains("\nstall: queue "), "\(name): \(outcome)")
      // The wait lasted to the end, unless the machine is so busy that the last look came too late.
      #expect(notes.allSatisfy { $0 == "stall" }, "\(name)")
    }
  }

  @Test func `what is slow is a note at most, and withdrawn when it goes on`() async throws {
    let held = "a main thread that waits with a block pending"
    for name in try await QueueCheckScene.names(of: "slow") where name != held {
      let outcome = try await QueueCheckScene.play("slow", name, ["--stall", "1"])
      #expect(outcome.status == 0 && outcome.output.contains("played"), "\(name): \(outcome)")
      #expect(!outcome.errors.contains("1 of 1"), "\(name): \(outcome)")
    }
    let (outcome, notes) = try await QueueCheckScene.play(
      "slow", held, ["--stall", "1"], until: "^undrained queue: queue main")
    #expect(outcome.status == 0 && outcome.output.contains("played"), "\(outcome)")
    #expect(outcome.errors.contains("note: no progress for a while\nundrained queue: queue main"), "\(outcome)")
    #expect(!outcome.errors.contains("1 of 1") && notes == [], "\(outcome)")
  }

  @Test func `what is only idle or waits for a slow block is left alone`() async throws {
    for name in try await QueueCheckScene.names(of: "idle") {
      let outcome = try await QueueCheckScene.play("idle", name, ["--stall", "0.5"])
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(name): \(outcome)")
    }
  }

  @Test func `a limit for ever is one, and stops no process`() async throws {
    let name = try #require(try await QueueCheckScene.names(of: "idle").first)
    let outcome = try await QueueCheckScene.play("idle", name, ["--stall", "1e300"])
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test func `SIGQUIT tells who waits for whom, and SIGTERM is passed on`() async throws {
    // The test sends signals to the program that it has started. The program ignores SIGQUIT, which it gets as well.
    let script = """
      \(ShellWait.function)
      trap '' QUIT
      "$1" queuecheck --stall \(Watchdog.seconds) -- "$2" hang 'two queues at once' 2> "$3" &
      gate=$! gate_errors=$3
      trap 'kill -TERM $gate 2> /dev/null' EXIT
      await 'grep -qs ") [A-Z] $gate " /proc/[0-9]*/stat'
      await 'kill -QUIT $gate; sleep 0.2; grep -q "for queue a, held by" "$gate_errors"'
      kill -TERM $gate; wait $gate; echo "status $?"; cat "$3" >&2
      """
    let outcome = try await TemporaryFolder.with { folder in
      let gate = "\(Repository.products)/gate"
      return try await ChildProcess("bash", ["-c", script, "-", gate, QueueCheckScene.program, "\(folder)/errors"])
        .run()
    }
    #expect(outcome.errors.contains("has waited") && outcome.errors.contains("for queue a, held by thread"))
    #expect(outcome.errors.contains("holds queue b"), "\(outcome)")
    // The two waits had made a cycle by then, and a report has its own status.
    #expect(outcome.output == "status 3\n", "\(outcome)")
  }

  @Test func `SIGTERM ends it when the program has ended, and nothing stays behind`() async throws {
    // Nothing reads the pipe: the program has ended, and its findings cannot be written.
    let script = """
      \(ShellWait.function)
      mkfifo "$3/findings"; exec 8<> "$3/findings"  # a pipe that is full, and that nothing reads
      dd if=/dev/zero of="$3/findings" bs=4096 count=1024 oflag=nonblock 2> /dev/null
      TMPDIR="$3" "$1" queuecheck --json "$3/findings" -- "$2" cycle 'two queues' > "$3/output" 2>&1 &
      gate=$! output=$3/output
      trap 'kill -KILL $gate 2> /dev/null' EXIT
      await 'grep -qs played "$output"'
      await '! kill -TERM $gate 2> /dev/null'
      wait $gate; echo "status $?"; ls "$3"
      """
    let outcome = try await TemporaryFolder.with { folder in
      try await ChildProcess(
        "bash", ["-c", script, "-", "\(Repository.products)/gate", QueueCheckScene.program, folder]
      )
      .run()
    }
    #expect(outcome.output == "status 143\nfindings\noutput\n", "\(outcome)")
  }

  @Test func `a SIGTERM that comes twice behind the program's end does not cost the report`() async throws {
    // The report waits for a full pipe until both signals have come.
    let script = """
      mkfifo "$3/findings"; exec 8<> "$3/findings"
      dd if=/dev/zero of="$3/findings" bs=4096 count=1024 oflag=nonblock 2> /dev/null
      "$1" queuecheck --json "$3/findings" -- "$2" cycle 'two queues' > "$3/output" 2>&1 8>&- &
      gate=$!
      until grep -qs played "$3/output"; do sleep 0.1; done
      while grep -qs ") [A-Z] $gate " /proc/[0-9]*/stat; do sleep 0.1; done
      kill -TERM $gate; sleep 0.3; kill -TERM $gate; sleep 0.3
      exec 9< "$3/findings"; cat <&9 > "$3/read" 8>&- &
      reader=$!
      wait $gate; echo "status $?"; exec 8>&-; wait $reader
      tr -d '\\0' < "$3/read" | cut -c 1-12
      """
    let outcome = try await TemporaryFolder.with { folder in
      try await ChildProcess(
        "bash", ["-c", script, "-", "\(Repository.products)/gate", QueueCheckScene.program, folder]
      )
      .run()
    }
    #expect(outcome.output == "status 3\n{\"findings\":\n", "\(outcome)")
  }
}
