import Foundation
import Testing

/// The tour, as a user takes it.
struct DemoTests {
  @Test(arguments: ["gate demo", "gatehouse-demo"])
  func `every promise of the tour holds, and nothing is left behind`(command: String) async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(command, environment: ["GATEHOUSE_STRICT": "", "TMPDIR": home.folder])
      #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
      let lines = outcome.output.split(separator: "\n")
      let kept = lines.filter { $0.hasPrefix("✓ ") }
      #expect(kept.count == 10 && lines.last?.hasPrefix("10 of 10 promises") == true)
      #expect(lines.dropLast().allSatisfy { $0.hasPrefix("✓ ") || $0.hasPrefix("    ") || $0.hasPrefix("  ") })
      #expect(outcome.output.contains("\n    64 threads, 1 refresh call, 64 equal answers"))
      #expect(lines.allSatisfy { $0.count <= 80 }, "\(outcome)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: home.folder) == [])
    }
  }

  @Test func `where there is no temporary folder, the program of scripts/demo says what to set`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell("gatehouse-demo", environment: ["TMPDIR": home.folder + "/none"])
      #expect(outcome.status == 1 && outcome.output == "", "\(outcome)")
      #expect(outcome.errors.hasPrefix("gatehouse-demo: ") && outcome.errors.contains("set TMPDIR"), "\(outcome)")
    }
  }

  /// Programs that say what a test wants stand in for the compiler and for `dpkg-query`.
  @Test func `scripts/demo builds its program alone, without SwiftNIO, and takes the tour`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        #"""
        cat > dpkg-query <<'END'
        #!/bin/sh
        echo installed
        END
        cat > swift <<'END'
        #!/bin/sh
        echo "swift $*, GATEHOUSE_WITHOUT_NIO=$GATEHOUSE_WITHOUT_NIO" >> log
        case "$*" in
          *--show-bin-path*) pwd ;;
          *) echo fewer > Package.resolved; [ ! -e broken ] ;;
        esac
        END
        cat > gatehouse-demo <<'END'
        #!/bin/sh
        echo "10 of 10 promises held"
        exit 3
        END
        chmod 755 dpkg-query swift gatehouse-demo
        mkdir scripts
        cp "$1"/scripts/demo "$1"/scripts/setup "$1"/scripts/build scripts
        export PATH="$PWD:/usr/bin:/bin"
        scripts/demo; echo "status $?"
        echo versions > Package.resolved
        touch broken
        scripts/demo; echo "status $?"
        cat log Package.resolved
        """#, Repository.root)
      let build =
        "swift build --disable-xctest --disable-index-store --explicit-target-dependency-import-check error "
        + "--scratch-path .build-core"
      #expect(
        outcome.output == """
          10 of 10 promises held
          status 3
          status 1
          \(build) --product gatehouse-demo, GATEHOUSE_WITHOUT_NIO=1
          \(build) --show-bin-path, GATEHOUSE_WITHOUT_NIO=1
          \(build) --product gatehouse-demo, GATEHOUSE_WITHOUT_NIO=1
          versions

          """, "\(outcome)")
      let errors = outcome.errors.split(separator: "\n")
      #expect(errors.count { $0.hasPrefix("scripts/demo builds ") && $0.contains(" minutes") } == 2, "\(outcome)")
      #expect(errors.last?.hasPrefix("scripts/demo: the build failed") == true, "\(outcome)")
    }
  }

  @Test(.enabled("python3 is not installed") { await Terminal.isThere }, arguments: [40, 80])
  func `its lines are no longer than the terminal's`(columns: Int) async throws {
    try await GateHome.withNone { home in
      let outcome = try await Terminal.run(
        home, ["demo"], typing: [], columns: columns, environment: ["GATEHOUSE_STRICT": "", "TMPDIR": home.folder])
      #expect(outcome.status == 0, "\(outcome)")
      let lines = outcome.output.split(whereSeparator: \.isNewline)
      #expect(lines.allSatisfy { $0.count <= columns } && lines.contains { $0.count > columns - 12 }, "\(outcome)")
    }
  }

  @Test func `its lines are no longer than COLUMNS says, also in a pipe`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate(
        "demo", environment: ["GATEHOUSE_STRICT": "", "TMPDIR": home.folder, "COLUMNS": "40"])
      let lines = outcome.output.split(separator: "\n")
      #expect(outcome.succeeded && lines.allSatisfy { $0.count <= 40 }, "\(outcome)")
    }
  }

  @Test(arguments: [(15, 143), (1, 129)])
  func `a signal ends it with the signal's status, and nothing is left behind`(signal: Int, status: Int32) async throws
  {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        """
        mkfifo pipe; gate demo > pipe & exec 3< pipe; read -r line <&3; kill -\(signal) $!; wait $!
        """, environment: ["GATEHOUSE_STRICT": "", "TMPDIR": home.folder])
      #expect(outcome.status == status, "\(outcome)")
      let left = try FileManager.default.contentsOfDirectory(atPath: home.folder)
      #expect(left.allSatisfy { !$0.hasPrefix("gatehouse-demo") }, "\(left)")
    }
  }

  /// Strict mode stops the process at a call in place, so that the tour cannot keep this one promise there.
  @Test func `a promise that fails shows what was expected and seen, and the status is 1`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate("demo", environment: ["GATEHOUSE_STRICT": "1"])
      #expect(outcome.status == 1, "\(outcome)")
      #expect(outcome.output.contains("\n✗ ") && outcome.output.contains("expected none, seen strict mode is on"))
      #expect(outcome.output.contains("\n9 of 10 promises held"))
    }
  }
}
