import GatehouseBase
import GatehouseWaits
import TestSupport
import Testing

/// Findings as SARIF 2.1.0 and as workflow annotations.
struct FindingsForCITests {
  private func report(file: String?, isNote: Bool = false) -> WaitReport {
    let names = WaitNames(
      resourceClass: testClass,
      stack: { addresses in
        CallStack { addresses.map { WaitReport.Frame(function: "f\($0)", file: file, line: Int($0), image: "p") } }
      })
    let there = Dependency(from: resource(1), to: resource(3), heldAt: [4], waitedAt: [5], thread: 7)
    let back = Dependency(from: resource(3), to: resource(1), thread: 8)
    return WaitReport(cycle: DependencyCycle([there, back]), names, isApartByMain: isNote)
  }

  private func log(_ results: [SARIFLog.Result]) throws -> JSONValue {
    // Parsed again, as by a reader.
    let text = SARIFLog(results, root: "/home/ada/my code").object.serialized()
    let log = try JSONValue(parsing: text, limits: JSONLimits(bytes: 1 << 20, members: 1 << 10))
    #expect(SARIFRules.faults(in: log) == [])
    return log
  }

  @Test func `a log has all that the schema requires`() throws {
    let log = try log([SARIFLog.Result(report(file: "/home/ada/my code/Sources/a b.swift"))])
    #expect(log["version"]?.string == "2.1.0" && log["$schema"]?.string?.hasSuffix("sarif-schema-2.1.0.json") == true)
    let run = try #require(log["runs"]?.array?.first)
    let driver = try #require(run["tool"]?["driver"])
    let rules = try #require(driver["rules"]?.array)
    #expect(driver["name"]?.string == "gate queuecheck" && rules.count == WaitReport.Kind.allCases.count)
    for rule in rules {
      #expect(rule["id"]?.string?.contains(" ") == false && rule["shortDescription"]?["text"]?.string?.isEmpty == false)
    }
    let result = try #require(run["results"]?.array?.first)
    #expect(result["ruleId"]?.string == "potential-deadlock" && result["level"]?.string == "error")
    #expect(rules[Int(result["ruleIndex"]?.integer ?? -1)]["id"]?.string == "potential-deadlock")
    #expect(result["message"]?["text"]?.string?.contains("What to do:") == true)
    #expect(
      result["partialFingerprints"]?["gatehouseWaits/v1"]?.string
        == "potential-deadlock: queue 1 → queue 3 → queue 1")
    let place = try #require(result["locations"]?.array?.first?["physicalLocation"])
    #expect(place["artifactLocation"]?["uri"]?.string == "Sources/a%20b.swift")
    #expect(place["artifactLocation"]?["uriBaseId"]?.string == "SRCROOT" && place["region"]?["startLine"] == 5)
    #expect(run["originalUriBaseIds"]?["SRCROOT"]?["uri"]?.string == "file:///home/ada/my%20code/")
    let stacks = try #require(result["stacks"]?.array)
    #expect(stacks.map { $0["message"]?["text"]?.string } == ["queue 1 held since", "thread 7 waited for queue 3"])
    #expect(stacks[0]["frames"]?.array?.first?["location"]?["physicalLocation"]?["region"]?["startLine"] == 4)
    #expect(result["suppressions"] == nil)
  }

  @Test func `a result without a known file has no location, and a file elsewhere its whole path`() throws {
    let results = try log([SARIFLog.Result(report(file: nil)), SARIFLog.Result(report(file: "/opt/x.swift"))])["runs"]?
      .array?.first?["results"]?.array
    #expect(results?.first?["locations"] == nil)
    let artifact = results?.last?["locations"]?.array?.first?["physicalLocation"]?["artifactLocation"]
    #expect(artifact == ["uri": "file:///opt/x.swift"])
  }

  @Test func `a relative file, of which it is unknown where it begins, is no location`() throws {
    let report = report(file: "part/one.h")
    let text = String(decoding: SARIFLog([SARIFLog.Result(report)], root: "/src").object.serialized(), as: UTF8.self)
    #expect(!text.contains("physicalLocation") && !text.contains("one.h"))
    #expect(WorkflowCommands.line(for: report, root: "/src").hasPrefix("::error title="))
  }

  @Test(arguments: [
    (#""version":"2.1.0""#, #""version":"2.2""#, "log.version is wrong"),
    (#""message":{"text":"potential"#, #""massage":{"text":"potential"#, "\(result).massage is unknown"),
    (#""message":{"text":"potential"#, #""massage":{"text":"potential"#, "\(result) has no message"),
    (#""ruleIndex":0"#, #""ruleIndex":1"#, "result 0 has the index of another rule"),
    (#""startLine":5"#, #""startLine":0"#, "\(result).locations[0].physicalLocation.region.startLine is wrong"),
    (#""SRCROOT":{"uri""#, #""ROOT":{"uri""#, "result 0 has the unknown base SRCROOT"),
    ("my%20code/", "my code/", "log.runs[0].originalUriBaseIds.SRCROOT.uri is wrong"),
    ("my%20code/", "my%20code", "the base SRCROOT does not end in a slash"),
    (#""level":"error","message""#, #""level":"fatal","message""#, "\(result).level is wrong"),
  ])
  func `the rules find what is wrong in a log`(part: String, other: String, fault: String) throws {
    let text = text
    #expect(text.contains(part), "\(text)")
    let faults = try faults(in: text.replacing(part, with: other))
    #expect(faults.contains(fault), "\(faults)")
  }

  @Test func `the rules find a stack that is there twice`() throws {
    let twice = text.replacing("thread 7 waited for queue 3", with: "queue 1 held since").replacing("f5", with: "f4")
      .replacing(#""startLine":5"#, with: #""startLine":4"#)
    #expect(try faults(in: twice) == ["\(Self.result).stacks is wrong"])
  }

  private static let result = "log.runs[0].results[0]"

  /// A valid log.
  private var text: String {
    let results = [SARIFLog.Result(report(file: "/home/ada/my code/a.swift"))]
    return String(decoding: SARIFLog(results, root: "/home/ada/my code").object.serialized(), as: UTF8.self)
  }

  private func faults(in text: String) throws -> [String] {
    SARIFRules.faults(
      in: try JSONValue(parsing: Array(text.utf8), limits: JSONLimits(bytes: 1 << 20, members: 1 << 10)))
  }

  @Test func `a note has its level, and what is suppressed has its reason`() throws {
    let results = try #require(
      try log([
        SARIFLog.Result(report(file: nil, isNote: true)), SARIFLog.Result(report(file: nil), suppression: "issue 7"),
      ])["runs"]?.array?.first?["results"]?.array)
    #expect(results.map { $0["level"]?.string } == ["note", "error"])
    #expect(results[1]["suppressions"]?.array?.first?["justification"]?.string == "issue 7")
  }

  @Test func `an annotation points to the file, and its text cannot end it`() {
    let line = WorkflowCommands.line(for: report(file: "/src/odd,name:1%.swift"), root: "/src")
    #expect(
      line.hasPrefix("::error file=odd%2Cname%3A1%25.swift,line=5,title=potential deadlock%3A queue 1"), "\(line)")
    #expect(line.contains("%0AWhat to do: ") && !line.contains("\n"))
    let note = WorkflowCommands.line(for: report(file: nil, isNote: true), root: "/src")
    #expect(note.hasPrefix("::notice title=note%3A potential deadlock"))
  }

  @Test func `every kind of report is explained, and found by its name`() {
    for kind in WaitReport.Kind.allCases {
      let text = kind.explanation.text(for: kind)
      #expect(text.hasPrefix(kind.rawValue) && text.contains("For example:") && text.contains("What to do: "))
      #expect(
        WaitReport.Kind(named: kind.identifier) == kind && WaitReport.Kind(named: kind.rawValue.uppercased()) == kind)
    }
    #expect(WaitReport.Kind(named: "deadlock") == nil)
  }
}
