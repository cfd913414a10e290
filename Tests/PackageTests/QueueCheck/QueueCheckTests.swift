import Foundation
import GatehouseJOSE
import TestSupport
import Testing

/// `gate queuecheck` as a command: statuses, files, refusals.
struct QueueCheckTests {
  @Test func `the program has its own input, output and status`() async throws {
    let echo = try await QueueCheckScene.run(["sh", "-c", "cat; echo heard >&2; exit 7"])
    #expect(echo.status == 7 && echo.errors == "heard\n", "\(echo)")
    let killed = try await QueueCheckScene.run(["sh", "-c", "kill -9 $$"])
    #expect(killed.status == 137 && killed.errors.isEmpty, "\(killed)")
  }

  @Test func `the status of a report can be chosen`() async throws {
    let outcome = try await QueueCheckScene.play("cycle", "two queues", ["--error-exitcode", "42"])
    #expect(outcome.status == 42 && outcome.output == "played\n")
    #expect(outcome.errors.contains("--verbose lists what cannot"))
  }

  @Test func `no program, a wrong option and a program that is not there are refused`() async throws {
    #expect(try await QueueCheckScene.run([]).status == 2)
    #expect(try await QueueCheckScene.run(["true"], ["--error-exitcode", "256"]).status == 2)
    let none = try await QueueCheckScene.run(["/nowhere/program"])
    #expect(none.status == 2 && none.errors.contains("there is no program /nowhere/program"), "\(none)")
  }

  @Test(arguments: ["--json", "--trace"])
  func `a pipe that no program reads is refused, and one that is read gets everything`(option: String) async throws {
    try await TemporaryFolder.with { folder in
      let pipe = "\(folder)/pipe"
      #expect(try await ChildProcess("mkfifo", [pipe]).run().succeeded)
      var refused = ChildProcess("\(Repository.products)/gate", ["queuecheck", option, pipe, "--", "true"])
      refused.environment = ["SWIFT_BACKTRACE": "enable=no"]
      let outcome = try await refused.run()
      #expect(outcome.status == 2 && outcome.errors.contains("is a pipe that no program reads"), "\(outcome)")

      // Opening a pipe for reading and writing does not wait: the reader is there before the report is.
      let script = "exec 8<> \"$1\"; \"$0\" queuecheck \(option) \"$1\" -- true; head -c 2 <&8"
      let read = try await ChildProcess("sh", ["-c", script, "\(Repository.products)/gate", pipe]).run()
      #expect(read.succeeded && read.output == "{\"", "\(read)")
    }
  }

  @Test func `a list of suppressions is not written over`() async throws {
    try await TemporaryFolder.with { folder in
      try Data("[]".utf8).write(to: URL(filePath: "\(folder)/known"))
      let outcome = try await QueueCheckScene.run(
        ["true"], ["--suppress", "\(folder)/known", "--json", "\(folder)/known"])
      #expect(outcome.status == 2 && outcome.errors.contains("need a file each"), "\(outcome)")
      #expect(try Data(contentsOf: URL(filePath: "\(folder)/known")) == Data("[]".utf8))
    }
  }

  @Test(arguments: ["RunLoop.main.run()", "dispatchMain()"])
  func `what only the main queue keeps apart is a note, however it is drained`(drain: String) async throws {
    let source = """
      import Foundation
      let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b")
      DispatchQueue.main.async { a.sync { b.sync {} } }
      DispatchQueue.main.async { b.sync { a.sync {} } }
      DispatchQueue.main.async { exit(0) }
      \(drain)
      """
    let note = try await SmallProgram.run(swift: source)
    #expect(note.status == 0 && note.errors.contains("\nnote: potential deadlock: "), "\(note)")
    let report = try await SmallProgram.run(swift: source, ["--main-is-no-guard"])
    #expect(report.status == 3, "\(report)")
    let declared = source.replacingOccurrences(
      of: "main.async { a", with: "main.async { dispatchPrecondition(condition: .onQueue(.main)); a"
    ).replacingOccurrences(
      of: "main.async { b", with: "main.async { dispatchPrecondition(condition: .onQueue(.main)); b")
    let silent = try await SmallProgram.run(swift: declared)
    #expect(silent.status == 0 && silent.errors.isEmpty, "\(silent)")
  }

  /// Whatever else is printed: the user needs it, and it is no finding.
  @Test func `a task that blocks its thread is a note, which can be suppressed`() async throws {
    let source = """
      import Dispatch
      let done = DispatchSemaphore(value: 0), queue = DispatchQueue(label: "network")
      func wait() { queue.async { done.signal() }; done.wait() }
      await Task.detached { wait() }.value
      """
    let note = try await SmallProgram.run(swift: source)
    #expect(note.status == 0 && note.errors.contains("\nnote: blocked pool thread: semaphore "), "\(note)")
    let hint = try #require(note.errors.firstMatch(of: /To suppress it: (\{.*\})\. Guide/)).1
    try await TemporaryFolder.with { folder in
      let entry = hint.replacing("YYYY-MM-DD", with: "2099-12-31")
      try Data("[\(entry)]".utf8).write(to: URL(filePath: "\(folder)/known"))
      let silent = try await SmallProgram.run(swift: source, ["--suppress", "\(folder)/known"])
      #expect(silent.status == 0 && silent.errors.isEmpty, "\(silent)")
    }
  }

  /// The program can send anything in place of a record, or connect and send nothing.
  @Test func `what is sent in place of a record is left alone`() async throws {
    let source = """
      #define _GNU_SOURCE
      #include <fcntl.h>
      #include <stddef.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/mman.h>
      #include <sys/socket.h>
      #include <sys/un.h>
      #include <unistd.h>
      static void tell(int file) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        const char *name = getenv("GATEHOUSE_QUEUECHECK_SOCKET");
        if (name == NULL) exit(9);
        memcpy(address.sun_path + 1, name, strlen(name));
        int out = socket(AF_UNIX, SOCK_STREAM, 0);
        connect(out, (void *)&address, offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
        if (file < 0) return;
        char letter = 'r', control[CMSG_SPACE(sizeof file)] = {0};
        struct iovec text = {&letter, 1};
        struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1, .msg_control = control,
                                 .msg_controllen = sizeof control};
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET, rights->cmsg_type = SCM_RIGHTS, rights->cmsg_len = CMSG_LEN(sizeof file);
        memcpy(CMSG_DATA(rights), &file, sizeof file);
        sendmsg(out, &message, 0);
      }
      int main(void) {
        int ends[2], large = memfd_create("large", 0);
        pipe(ends);
        ftruncate(large, 1ll << 40);
        unsigned first[2] = {0x47575231, 2};
        write(large, first, sizeof first);
        tell(ends[0]);
        tell(open("/dev/zero", O_RDONLY));
        tell(large);
        tell(-1);
      }
      """
    let outcome = try await SmallProgram.run(c: source)
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test func `a finding that is known is left alone until it expires`() async throws {
    try await TemporaryFolder.with { folder in
      for (expires, status) in [("2999-01-01", Int32(0)), ("2020-01-01", 3)] {
        let entry = """
          [{"name": "queue accounts → queue billing → queue accounts", "reason": "known", "expires": "\(expires)"}]
          """
        try Data(entry.utf8).write(to: URL(filePath: "\(folder)/known"))
        let outcome = try await QueueCheckScene.play("cycle", "two queues", ["--suppress", "\(folder)/known"])
        #expect(outcome.status == status, "\(outcome)")
      }
    }
  }

  @Test func `a plain C program is watched, and gets no Swift runtime by it`() async throws {
    let source = """
      #include <pthread.h>
      #include <stdio.h>
      #include <string.h>
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
        char line[4096];
        FILE *maps = fopen("/proc/self/maps", "r");
        while (fgets(line, sizeof line, maps))
          if (strstr(line, "libswift")) printf("%s", line);
        return 0;
      }
      """
    try await TemporaryFolder.with { folder in
      try Data(source.utf8).write(to: URL(filePath: "\(folder)/program.c"))
      let built = try await ChildProcess("clang", ["-g", "-o", "\(folder)/program", "\(folder)/program.c"]).run()
      try #require(built.succeeded, "\(built)")
      let outcome = try await QueueCheckScene.run(["\(folder)/program"])
      #expect(outcome.status == 3 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.contains("hold at \(folder)/program.c:7"), "\(outcome)")
      // A lock that no call initializes has its variable's name.
      #expect(outcome.errors.contains("\npotential deadlock: lock one → lock other → lock one\n"), "\(outcome)")
      #expect(outcome.errors.contains(#"{"name":"lock one → lock other → lock one","#), "\(outcome)")
    }
  }

  @Test func `a script's own programs are watched`() async throws {
    let outcome = try await QueueCheckScene.run([
      "sh", "-c", "'\(QueueCheckScene.program)' cycle 'two queues'; exit 5",
    ])
    #expect(outcome.status == 3 && outcome.errors.contains("queue accounts → queue billing"), "\(outcome)")
  }

  @Test func `the timeline has a track for each queue, with what ran, waited and was blocked by whom`() async throws {
    let events = try await QueueCheckScene.trace("cycle", "asynchronous blocks")["traceEvents"]?.array ?? []
    let tracks = events.filter { $0["name"]?.string == "thread_name" }
    let names = Dictionary(
      tracks.map { ($0["tid"]?.integer ?? 0, $0["args"]?["name"]?.string ?? "") }, uniquingKeysWith: { $1 })
    #expect(Set(names.values).isSuperset(of: ["queue a", "queue b"]))
    func count(_ name: String, _ phase: String) -> [String: Int] {
      events.filter { $0["name"]?.string == name && $0["ph"]?.string == phase }
        .reduce(into: [:]) { $0[names[$1["tid"]?.integer ?? 0] ?? "", default: 0] += 1 }
    }
    // The last block of `b` lets the program end, and may be running still when it does.
    let ran = count("running", "X").merging(count("running at the end", "X"), uniquingKeysWith: +)
    #expect(ran.filter { $0.key != "queue main" } == ["queue a": 2, "queue b": 2])
    #expect(count("waiting", "b") == ["queue a": 1, "queue b": 1] && count("waiting", "e") == count("waiting", "b"))
    #expect(count("blocked: queue b", "X") == ["queue a": 1] && count("blocked: queue a", "X") == ["queue b": 1])
  }

  @Test(arguments: [
    ("cycle", "asynchronous blocks"), ("cycle", "a barrier"), ("cycle", "a group"), ("cycle", "main and a queue"),
    ("look-alike", "a counting semaphore"), ("hang", "two queues at once"), ("hang", "a mutex of its own"),
    ("hang", "the pool"),
  ])
  func `a trace keeps the rules of its format`(kind: String, name: String) async throws {
    let trace = try await QueueCheckScene.trace(kind, name, ["--stall", "1"])
    #expect(TraceRules.faults(in: trace) == [])
    #expect(trace["traceEvents"]?.array?.contains { $0["ph"]?.string == "X" } == true, "\(trace)")
  }

  @Test(arguments: [("two queues at once", "for queue a"), ("a mutex of its own", "for lock Hangs.swift:")])
  func `a hang's last state is in the trace`(name: String, wanted: String) async throws {
    let events = try await QueueCheckScene.trace("hang", name, ["--stall", "1"])["traceEvents"]?.array ?? []
    let names = events.compactMap { $0["name"]?.string }
    #expect(names.contains { $0.hasPrefix("at the end: holds ") && $0.contains("waits \(wanted)") }, "\(names)")
    let blocked = events.first { $0["name"]?.string?.hasPrefix("blocked at the end: ") == true }
    #expect((blocked?["dur"]?.double ?? 0) >= 1_000_000, "\(names)")
  }
}
