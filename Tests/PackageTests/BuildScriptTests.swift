import HangGuard
import Testing

/// `scripts/build` without SwiftNIO, with a compiler that takes versions out of `Package.resolved`.
@Suite(.endsIfItHangs) struct BuildScriptTests {
  @Test func `a build that is ended restores the versions after the compiler, which ends later`() async throws {
    let outcome = try await Self.run(
      """
      scripts/build one & script=$!
      await '[ -e one ]'
      kill $script
      touch one.go
      wait $script || true
      await '[ -e one.ended ]'
      cat Package.resolved
      """)
    #expect(outcome.status == 0 && outcome.output == "versions\n", "\(outcome)")
  }

  @Test func `of two builds at once the second waits, and keeps what the first has found`() async throws {
    let outcome = try await Self.run(
      """
      scripts/build one & first=$!
      await '[ -e one ]'
      scripts/build two & second=$!
      waits() { [ "$(cat "/proc/$(cut -d ' ' -f 1 "/proc/$second/task/$second/children")/comm")" = flock ]; }
      await '[ -e two ] || waits 2> /dev/null'
      touch one.go
      wait $first
      touch two.go
      wait $second
      cat Package.resolved
      """)
    #expect(outcome.status == 0 && outcome.output == "versions\n", "\(outcome)")
  }

  /// Runs commands in a folder of its own. There the compiler waits for a file, and then writes once more.
  private static func run(_ commands: String) async throws -> ChildProcess.Outcome {
    try await GateHome.withNone { home in
      try await home.shell(
        #"""
        cat > swift <<'END'
        #!/bin/sh
        for name; do :; done
        echo fewer > Package.resolved
        touch "$name"
        while [ ! -e "$name.go" ]; do /usr/bin/sleep 0.05; done
        echo fewer > Package.resolved
        touch "$name.ended"
        END
        chmod 755 swift
        mkdir scripts
        cp "$1/scripts/build" scripts
        echo versions > Package.resolved
        export PATH="$PWD:/usr/bin:/bin" GATEHOUSE_WITHOUT_NIO=1
        eval "$2"
        """#, Repository.root, commands)
    }
  }
}
