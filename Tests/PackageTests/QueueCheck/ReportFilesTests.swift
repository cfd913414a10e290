import Foundation
import GatehouseJOSE
import Testing

/// What `gate queuecheck` refuses before the program starts, what it writes for programs, and its statuses.
struct ReportFilesTests {
  @Test(arguments: [
    ["--stall", "0"], ["--stall", "inf"], ["--stall", "nan"], ["--stall=-1"], ["--json", "/nowhere/file"],
    ["--trace", "/nowhere/file"], ["--sarif", "/nowhere/file"], ["--json", "/dev"], ["--suppress", "/nowhere/file"],
    ["--annotations", "gitlab"], ["--json", "same", "--sarif", "same"],
  ])
  func `what is wrong is refused before the program starts`(options: [String]) async throws {
    let outcome = try await QueueCheckScene.run(["echo", "started"], options)
    #expect(outcome.status == 2 && outcome.output.isEmpty && !outcome.errors.isEmpty, "\(outcome)")
  }

  @Test func `a file keeps what is in it until there is something to write`() async throws {
    try await TemporaryFolder.with { folder in
      let old = "\(folder)/old"
      try Data("a longer text than findings".utf8).write(to: URL(filePath: old))
      let shown = try await QueueCheckScene.run(["cat", old], ["--json", old])
      #expect(shown.status == 0 && shown.output == "a longer text than findings", "\(shown)")
      let text = try Data(contentsOf: URL(filePath: old))
      #expect(try JSONValue(parsing: Array(text))["findings"] == [])
      try Data("kept".utf8).write(to: URL(filePath: old))
      #expect(try await QueueCheckScene.run(["true"], ["--json", old, "--trace", "/nowhere/file"]).status == 2)
      #expect(try String(contentsOf: URL(filePath: old), encoding: .utf8) == "kept")
    }
  }

  @Test func `a kind is explained, and an unknown one names the known ones`() async throws {
    let known = try await QueueCheckScene.run([], ["--explain", "potential-deadlock"])
    #expect(known.status == 0 && known.output.hasPrefix("potential deadlock\n"), "\(known)")
    #expect(known.output.contains("journal.sync { accounts.sync") && known.output.contains("Docs/deadlocks.md"))
    let unknown = try await QueueCheckScene.run([], ["--explain", "livelock"])
    #expect(unknown.status == 2 && unknown.errors.contains("the kinds are: potential deadlock,"), "\(unknown)")
  }

  @Test func `findings are written as SARIF, with the file of the wait`() async throws {
    let command = [QueueCheckScene.program, "cycle", "two queues"]
    let (log, outcome) = try await QueueCheckScene.written("--sarif", command)
    #expect(outcome.status == 3)
    let results = log["runs"]?.array?.first?["results"]?.array
    #expect(results?.count == 1 && results?.first?["ruleId"]?.string == "potential-deadlock")
    let place = results?.first?["locations"]?.array?.first?["physicalLocation"]
    #expect(place?["artifactLocation"]?["uri"]?.string?.hasSuffix("Tests/WaitingProgram/Cycles.swift") == true)
    #expect(place?["region"]?["startLine"]?.integer == 8)
  }

  @Test func `findings are annotations on standard error`() async throws {
    let outcome = try await QueueCheckScene.play("cycle", "two queues", ["--annotations", "github"])
    let line = outcome.errors.split(separator: "\n").first { $0.hasPrefix("::error file=") }
    #expect(
      line?.contains("Tests/WaitingProgram/Cycles.swift,line=8,title=potential deadlock%3A queue") == true, "\(outcome)"
    )
    #expect(outcome.output == "played\n")
  }

  @Test func `the JSON counts locks of no known origin, and says what was not lost`() async throws {
    let (value, outcome) = try await QueueCheckScene.written("--json", ["true"], ["--complete"])
    #expect(outcome.status == 0 && value["unknownLocks"]?.integer != nil && value["incomplete"] == [])
    #expect(value["notes"] == [] && value["notWatched"] == [])
  }

  @Test func `a record that is full is named, and ends with a status of its own when asked for`() async throws {
    // The record has room for 131,072 classes.
    let source = """
      #include <stdio.h>
      void *dispatch_queue_create(const char *label, void *attributes);
      int main(void) {
        for (int number = 0; number < 140000; number++) {
          char label[8] = {0};
          for (int rest = number, at = 0; at < 6; at++, rest /= 26) label[at] = 'a' + rest % 26;
          dispatch_queue_create(label, NULL);
        }
      }
      """
    let plain = try await SmallProgram.run(c: source)
    #expect(plain.status == 0 && plain.errors.contains("the record was incomplete: "), "\(plain)")
    let complete = try await SmallProgram.run(c: source, ["--complete"])
    #expect(
      complete.status == 4 && complete.errors.contains("the record was incomplete: classes of queues and locks: "),
      "\(complete)")
  }

  @Test func `an entry that is unused or has expired is told, and a name with lines still counts`() async throws {
    try await TemporaryFolder.with { folder in
      let list = """
        [{"name": "queue accounts → queue billing → queue accounts", "reason": "known", "expires": "2999-01-01"},
         {"name": "queue gone", "reason": "old", "expires": "2999-01-01"},
         {"name": "queue late", "reason": "old", "expires": "2020-01-01"}]
        """
      try Data(list.utf8).write(to: URL(filePath: "\(folder)/known"))
      let command = [QueueCheckScene.program, "cycle", "two queues"]
      let (value, outcome) = try await QueueCheckScene.written("--json", command, ["--suppress", "\(folder)/known"])
      #expect(outcome.status == 0 && outcome.errors.contains(#""queue gone" was not used"#), "\(outcome)")
      #expect(outcome.errors.contains(#""queue late" has expired"#), "\(outcome)")
      #expect(value["suppressions"]?.array?.map { $0["state"]?.string } == ["used", "unused", "expired"])
      try Data(list.replacing("2020-01-01", with: "2020-02-30").utf8).write(to: URL(filePath: "\(folder)/known"))
      let refused = try await QueueCheckScene.run(["echo"], ["--suppress", "\(folder)/known"])
      #expect(refused.status == 2 && refused.errors.contains(#"there is no day "2020-02-30""#), "\(refused)")
    }
  }

  @Test func `the name of a report outlives an edit`() async throws {
    func name(_ above: String) async throws -> String? {
      try await SmallProgram.findings(
        swift: """
          import Foundation
          \(above)
          final class Cache: Sendable {
            let one = NSLock(), other = NSLock()
            func there() { one.withLock { other.withLock {} } }
            func back() { other.withLock { one.withLock {} } }
          }
          let cache = Cache()
          for turn in [{ cache.there() }, { cache.back() }] as [@Sendable () -> Void] {
            let thread = Thread(block: turn)
            thread.start()
            while !thread.isFinished { usleep(200) }
          }
          """
      ).first?["name"]?.string
    }
    let before = try await name("")
    #expect(before?.contains("lock in ") == true && before?.contains(/:\d/) == false, "\(before ?? "")")
    #expect(try await name("\n\n// more\n") == before)
  }

  @Test func `labels that hide characters, and closures at the top level, are readable`() async throws {
    let outcome = try await SmallProgram.run(
      swift: """
        import Dispatch
        let odd = DispatchQueue(label: "odd\\u{200B}\\u{202E}label"), other = DispatchQueue(label: "other")
        let done = DispatchSemaphore(value: 0)
        odd.async { other.sync {}; done.signal() }
        done.wait()
        other.async { odd.sync {}; done.signal() }
        done.wait()
        """)
    #expect(outcome.errors.contains(#"queue odd\u{200B}\u{202E}label →"#), "\(outcome)")
    #expect(
      outcome.errors.contains("closure #1 in program.swift at ") && !outcome.errors.contains(" in  at "), "\(outcome)")
  }
}
