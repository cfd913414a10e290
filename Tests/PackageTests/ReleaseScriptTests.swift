import Testing

/// `scripts/release`, with scripts that do nothing in place of its parts.
struct ReleaseScriptTests {
  private static let parts =
    "ci dependents sanitized tests schedules ownership bugs crashes faults packages zoo neighbors docs interop fuzz"

  @Test func `a run goes on where it was, and says what is left`() async throws {
    let outcome = try await Self.run("scripts/release zoo faults; scripts/release ci; scripts/release --list")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output.contains("left: \(Self.parts(without: "faults", "zoo"))\n"), "\(outcome)")
    #expect(outcome.output.contains("left: \(Self.parts(without: "ci", "faults", "zoo"))\n"), "\(outcome)")
    #expect(outcome.output.contains("\ntests        never\n"), "\(outcome)")
    let rest = try await Self.run("scripts/release zoo; echo rest; scripts/release; scripts/release")
    let begun = rest.output.split(separator: "\n").drop { $0 != "rest" }.filter { $0.hasSuffix(" begins") }
    #expect(begun.count == Self.parts.split(separator: " ").count - 1 && !begun.contains("zoo begins"), "\(rest)")
    #expect(rest.output.contains("scripts/release: every part has passed at "), "\(rest)")
  }

  @Test func `a table in Docs costs no part its stamp but those that read pages`() async throws {
    let outcome = try await Self.run(
      "scripts/release; echo table > Docs/page.md; git commit --quiet -am table; echo after; scripts/release")
    let begun = outcome.output.split(separator: "\n").drop { $0 != "after" }.filter { $0.hasSuffix(" begins") }
    #expect(begun == ["ci", "dependents", "sanitized", "tests", "docs"].map { "\($0) begins" }, "\(outcome)")
  }

  @Test(arguments: [
    ("echo changed > Sources/source", "the sources have changed meanwhile"),
    ("git commit --quiet --allow-empty -m other", "the sources have changed meanwhile"),
    ("false", "scripts/release: failed: faults\n"),
  ])
  func `a part that fails, or whose sources change meanwhile, has no stamp`(part: String, words: String) async throws {
    let outcome = try await Self.run(
      "printf '#!/bin/bash\n\(part)\n' > scripts/faults; git commit --quiet -am part; scripts/release faults")
    #expect(outcome.status == 1, "\(outcome)")
    #expect((outcome.output + outcome.errors).contains(words), "\(outcome)")
    #expect(!outcome.output.contains("passed at"), "\(outcome)")
  }

  private static func parts(without done: String...) -> String {
    parts.split(separator: " ").filter { !done.contains(String($0)) }.joined(separator: " ")
  }

  /// Runs commands in a repository of their own that has `scripts/release`.
  private static func run(_ commands: String) async throws -> ChildProcess.Outcome {
    try await GateHome.withNone { home in
      try await home.shell(
        #"""
        mkdir scripts .ci Sources Docs
        cp "$1/scripts/release" scripts
        for part in setup test schedules ownership bugs crashes faults packages zoo neighbors docs interop fuzz; do
          printf '#!/bin/sh\n' > "scripts/$part"
        done
        printf '#!/bin/sh\n' > .ci/run
        sed -i 's/^  if ! "part_/  echo "$part begins"\n&/' scripts/release
        chmod 755 scripts/* .ci/run
        echo page > Docs/page.md
        echo source > Sources/source
        echo '.build*/' > .gitignore
        unset $(git rev-parse --local-env-vars)
        export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
        export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@a
        git init --quiet .
        git add .
        git commit --quiet -m first
        eval "$2"
        """#, Repository.root, commands)
    }
  }
}
