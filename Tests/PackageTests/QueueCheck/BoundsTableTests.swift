import Foundation
import Testing

/// Every constant that bounds the record or the search is in the guide's table of bounds, or here with the reason why
/// nothing is lost beyond it.
struct BoundsTableTests {
  /// A number in the sources, with a name.
  private struct Constant: Hashable {
    let name: String
    /// Its value, if that is a number or a power of two.
    let value: Int?
  }

  /// The rows of the table, and the test that meets each.
  private static let tests: [String: TestReference] = [
    "waits between two classes, with guards of the same classes": bounds("more pairs of two classes than are kept"),
    "the same within one class": bounds("more pairs of one class than are kept"),
    "the same from blocks or threads made at one place": bounds("more waits of blocks than are kept"),
    "waits in all": table,
    "waits that are compared with earlier ones": bounds("more waits than are compared with earlier ones"),
    "locks held beside one wait": bounds("more locks beside one wait than are kept"),
    "signals that a thread gave while it holds something": bounds("more signals before an answer than are kept"),
    "things held by those that wait for one signal, or give it":
      bounds("waiters of a signal that its giver does not meet are said"),
    "locks held by one thread": bounds("more locks held by one thread than are kept"),
    "threads that hold more than 32 things at one time": table,
    "threads at one time": table,
    "classes": table,
    "queues, locks and signals at one time": bounds("more locks than are kept"),
    "a queue and its targets, one behind another": bounds("a queue with more targets than are kept is said"),
    "semaphores of one that tasks hold at one time": bounds("more semaphores held by tasks than are kept"),
    "queues of which a hang tells how much work waits": table,
    "waits for signals of an unknown giver": table,
    "open files that records leave free (`ulimit -n`)":
      TestReference(suite: "NotWatchedTests", test: "programs whose records cannot be kept are counted"),
    "events of the timeline": TestReference(suite: "TimelineTests", test: "events that were lost are told"),
    "steps of all searches": search,
    "paths of one search": search,
    "steps in resources that lead to each other in many ways":
      TestReference(suite: "RecordAnalysisTests", test: "a tangle that is not looked through is said"),
  ]

  private static func bounds(_ test: String) -> TestReference { TestReference(suite: "BoundsTests", test: test) }
  private static let table = bounds("a table of the record that is full is said")
  private static let search = TestReference(suite: "WaitOrderTests", test: "a search ends at its bound, and says so")

  /// Constants that are no bounds: they are part of an interface, a name, a bit or a kind.
  private static let noBounds: Set<String> = [
    "KIND", "NORMAL", "RECURSIVE", "CHECKS", "ROBUST", "INHERITS", "PROTECTS", "SHARED", "IS_MARK", "IS_MADE",
    "ANNOUNCED", "HAS_COPY",
    "RUNS", "DONE", "BLOCK_IS_GLOBAL", "HIDDEN", "TYPES", "WORD", "GWR_MAGIC", "GWR_VERSION", "GWR_SERIAL",
    "GWR_SUBMIT",
    "GW_SHARED", "GW_ACTIVITY", "GW_LOOP", "GW_SIDE_ALONE", "GW_SIDE_SHARED", "GW_SIDE_MEMBER", "GW_SIDE_EMPTY",
    "GW_SIDE_MAIN", "GW_SIDE_NONE", "GW_SIDE_RUN", "GW_SIDE_RAN", "GW_ASKED", "GW_ITSELF", "GW_SIGNAL",
    "GW_FROM_PRIVATE", "GW_TO_PRIVATE", "PUBLIC", "HOLD_BITS", "futexCall", "PAGE", "CHUNK", "classBits",
  ]

  /// Bounds beyond which nothing is lost that could be a deadlock, each with the reason.
  private static let harmless: [String: String] = [
    "WAITS_BEGUN": "an earlier wait for a queue is not withdrawn, and counts",
    "SHELVES": "a hash, whose lists have any length",
    "RANGES": "the loader is asked about further images",
    "HALVINGS": "without any record the program is not watched, which is said",
    "DEPTH": "an initializer that an exception leaves counts as held for longer",
    "LATEST": "an access is recorded once more",
    "STACKS": "a further stack counts as allocated memory, which is freed at the end of its thread",
    "CALLS": "a lock in a further call is of unknown origin, which is said",
    "MAKERS": "more calls would only divide classes",
    "NUMBERED_LABELS": "further labels share a class",
    "MOST_ITSELF": "one report of a class that waits for itself says it",
    "UNSURE": "a group that is not known to guard a wait does not guard it",
    "ENTERED": "the same",
    "label_counts": "further labels share a class",
    "FEWEST_SLOTS": "without any table the program is not watched",
    "SEEN": "the end of a program waits for the latest ends of operations; earlier ones were announced meanwhile",
    "VOIDS": "a thread seems to hold a semaphore that is no lock, whose waits are left out",
    "GW_NEEDLESS": "beside more locks, the givers of a signal count as different ones, which are not followed",
    "GW_FRAMES": "outer calls are not printed",
    "GWR_LABEL": "a label is printed in part, and compared as a whole",
    "GWR_DROPPED": "further programs are counted without their names",
    "GWR_PATH": "a path is printed in part",
    "TEXTS": "functions of further images are printed like others",
    "DEEPEST": "a caller is not printed",
    "gaps": "a caller is searched for again",
    "stepsBetweenQuestions": "the user waits for a moment",
    "maximumWaits": "further waits of a stall are counted",
    "maximumWaitsOfKnot": "further waits of a knot are counted",
    "maximumTargets": "the recorder keeps no more targets, which is said",
    "maximumThreads": "Dispatch makes no more threads",
    "growth": "a pool that grows is not exhausted",
    "maximumExact": "the report says that its cut is as small as far as was searched",
    "maximumClasses": "a smaller tangle is searched as a whole",
    "maximumSurplus": "the same",
    "maximumCycles": "more cycles are one report, a knot",
    "callsOfAClass": "the recorder tells classes apart by as many",
    "patience": "a program that cannot be looked at is looked at again",
    "maximumPrograms": "the guide names it",
  ]

  private static func value(_ text: String) -> Int? {
    let parts = text.replacing("_", with: "").split(separator: "<<").map {
      Int($0.trimmingPrefix(" ").prefix { $0 != " " })
    }
    guard let first = parts.first ?? nil else { return nil }
    return parts.count == 2 ? parts[1].map { first << $0 } : first
  }

  private static func constants() throws -> Set<Constant> {
    var all: Set<Constant> = []
    let c = ["Sources/Queues/CGatehouseWaits", "Sources/Queues/CGatehouseQueuecheck"].flatMap { folder in
      [".c", ".h"].flatMap { (try? Repository.files(in: folder, ending: $0)) ?? [] }
    }
    for path in c {
      let code = Comments.blanked(in: try Repository.text(of: path))
      for list in code.matches(of: /enum (?:\w+ )?\{([^}]*)\}/) {
        for one in String(list.1).matches(of: /(\w+)\s*=\s*([^,}]+)/) {
          all.insert(Constant(name: String(one.1), value: value(String(one.2))))
        }
      }
      for one in code.matches(of: /gw_table_make\(&(\w+), (\d+)\)/) {
        all.insert(Constant(name: String(one.1), value: Int(one.2).map { 1 << $0 }))
      }
      for one in code.matches(of: #/place\(header, &header->(\w+), (?:header->is_traced \? )?\(?([0-9< ]+)\)? >> h/#) {
        all.insert(Constant(name: String(one.1), value: value(String(one.2))))
      }
    }
    let swift = try [
      "Sources/Queues/GatehouseWaits", "Sources/Queues/GatehouseQueues/Monitor", "Sources/gate/QueueCheck",
    ]
    .flatMap { try Repository.sources(in: $0) }
    for file in swift {
      for line in file.code.matches(of: /static let [^\n]*/) {
        for one in String(line.0).matches(of: /(\w+)(?:: \w+)? = ([0-9][0-9_]*(?: << \d+)?)\b/) {
          all.insert(Constant(name: String(one.1), value: value(String(one.2))))
        }
      }
    }
    return all
  }

  /// The rows of the guide's table: the bound, its value, the line that is said, and the constants.
  private static func rows() throws -> [[String]] {
    let page = try Repository.text(of: "Docs/deadlocks.md")
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
      .drop { !$0.hasPrefix("| bound | value | the line | constants |") }
    return lines.dropFirst(2).prefix { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  @Test func `every constant is in the table, or it loses nothing`() throws {
    let found = try Self.constants(), rows = try Self.rows()
    #expect(found.count > 60 && rows.count == Self.tests.count, "\(found.count), \(rows.count)")
    let inTable = Set(rows.flatMap { $0[3].matches(of: /`(\w+)`/).map { String($0.1) } })
    let known = inTable.union(Self.noBounds).union(Self.harmless.keys).union(["maps"])
    #expect(Set(found.map(\.name)).subtracting(known) == [], "in no list: say what is lost, or why nothing is")
    #expect(known.subtracting(found.map(\.name)) == [], "in a list, and in no source")
    #expect(inTable.intersection(Self.harmless.keys) == [] && inTable.intersection(Self.noBounds) == [])
  }

  /// The first number of a row is the value of one of its constants, or of two of them together.
  @Test func `the table has the values of the sources`() throws {
    let found = try Self.constants()
    for row in try Self.rows() where row[1] != "about a million" {
      let number = Int(try #require(row[1].firstMatch(of: /[0-9][0-9,]*/)).output.replacing(",", with: ""))
      let names = Set(row[3].matches(of: /`(\w+)`/).map { String($0.1) })
      let values = found.filter { names.contains($0.name) }.compactMap(\.value)
      let isSum = row[3] == "`GW_HOLDS`, `GW_MORE`" && values.reduce(0, +) == number
      #expect(number.map(values.contains) == true || isSum, "\(row)")
    }
  }

  @Test func `each row is met by a test`() throws {
    let index = TestIndex(try Repository.sources(in: "Tests"))
    for row in try Self.rows() {
      let test = try #require(Self.tests[row[0]], "no test meets \(row[0])")
      #expect(index.has(test), "\(test)")
    }
  }
}
