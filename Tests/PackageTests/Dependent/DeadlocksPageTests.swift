import Foundation
import Testing

/// The code of `Docs/deadlocks.md`, as a reader runs it, and the reports below it.
struct DeadlocksPageTests {
  private static let page = DocumentPrograms.deadlocks

  /// What the page shows as the output of programs, in order.
  private static let reports = page.blocks(of: "text")

  @Test func `the page has as many programs and reports as are run here`() {
    #expect(Self.page.blocks.count == Self.page.names.count)
    #expect(Self.reports.count == Report.allCases.count)
  }

  /// The reports of the page, in order.
  enum Report: Int, CaseIterable, Sendable { case found, itself, pool, stall, signal, plain, schedule }

  private func expect(_ report: Report, in output: String) {
    let shown = Self.reports.indices.contains(report.rawValue) ? Self.reports[report.rawValue] : ""
    #expect(ReportText(output).contains(ReportText(shown)), "the page shows\n\(shown)\nand there came\n\(output)")
  }

  @Test(.releaseCheck) func `the test of the page fails with the report, and the mended one succeeds`() async throws {
    let package = try await DependentPackage.built.value
    let found = try await package.test("DeadlocksFound")
    #expect(found.status != 0)
    expect(.found, in: found.output + found.errors)
    let mended = try await package.test("DeadlocksMended")
    #expect(mended.succeeded && mended.description.contains("1 test"), "\(mended)")
  }

  @Test(
    .releaseCheck,
    arguments: [
      (Report.itself, "DeadlocksItself"), (.pool, "DeadlocksPool"), (.stall, "DeadlocksStall"),
      (.signal, "DeadlocksSignal"),
    ])
  func `a program prints the report below it`(report: Report, program: String) async throws {
    let outcome = try await DependentPackage.built.value.run(program, in: Repository.root)
    #expect(outcome.succeeded, "\(outcome)")
    expect(report, in: outcome.output)
  }

  @Test(.releaseCheck) func `what is suppressed is left alone until its date`() async throws {
    let package = try await DependentPackage.built.value
    let list = try #require(Self.page.blocks(of: "json").first)
    for (year, isKnown) in [("2999", true), ("2020", false)] {
      try await TemporaryFolder.with { folder in
        try list.replacing(/"\d{4}-/, with: "\"\(year)-")
          .write(toFile: "\(folder)/known-waits.json", atomically: false, encoding: .utf8)
        let outcome = try await package.run("DeadlocksKnown", in: folder, environment: Self.withoutCrashReport)
        #expect(outcome.succeeded == isKnown && outcome.output.contains("left alone") == isKnown, "\(outcome)")
        #expect(outcome.errors.contains("potential deadlock: queue accounts") == !isKnown, "\(outcome)")
      }
    }
  }

  @Test(.releaseCheck) func `a schedule that fails is told as a string, and the string fails again`() async throws {
    let package = try await DependentPackage.built.value
    let environment = ["SWIFT_DETERMINISTIC_HASHING": "1"]
    let first = try await package.run("DeadlocksSchedules", in: Repository.root, environment: environment)
    expect(.schedule, in: first.output)
    let schedule = try #require(first.output.firstMatch(of: /schedule: (\S+)/)).1
    let again = try await package.run(
      "DeadlocksSchedules", [String(schedule)], in: Repository.root, environment: environment)
    #expect(again.output == first.output)
    let plain = try await package.run("DeadlocksSchedules", ["-"], in: Repository.root, environment: environment)
    #expect(plain.output == "Nothing failed in 1 schedules.\n", "\(plain)")
  }

  @Test(.releaseCheck) func `queuecheck finds it in a program that knows nothing of us`() async throws {
    let package = try await DependentPackage.built.value
    let outcome = try await QueueCheckScene.run([try package.path(of: "DeadlocksPlain")])
    #expect(outcome.status == 3 && outcome.output == "This run went well.\n", "\(outcome)")
    expect(.plain, in: outcome.errors)
  }

  private static let withoutCrashReport = ["SWIFT_BACKTRACE": "enable=no"]
}

struct ReportTextTests {
  @Test func `folders, line numbers, threads and schedules do not count, and all else does`() {
    let output = ReportText(
      """
      ↳ wait for itself: queue a
          at f() in …
      │         f() at /home/ada/Sources/p/main.swift:12
      │     thread 4711 waited for queue a
      schedule: 0a1
      """)
    #expect(
      output.contains(ReportText("f() at …/main.swift:3\n  │     thread 1 waited for queue a\n\nschedule: 77")) == false
    )
    #expect(output.contains(ReportText("│         f() at …/main.swift:3\n\n│     thread 1 waited for queue a")))
    #expect(output.contains(ReportText("│         f() at …/other.swift:3")) == false)
    #expect(output.contains(ReportText("│     thread 1 waited for queue b")) == false)
    #expect(ReportText("`a\u{A0}b`() in p").contains(ReportText("`a b`() in p")))
    #expect(output.contains(ReportText("")) == false)
  }
}
