import Foundation
import Testing

/// `scripts/setup`, with its system replaced by programs that say what a test wants.
struct SetupTests {
  /// Runs the script with these programs in place of the system's.
  ///
  /// A shell writes them. This process must not: a program that another test starts meanwhile holds every open file for
  /// a moment, and the system runs no program that is still open for writing.
  private static func setup(_ programs: [String: String]) async throws -> ChildProcess.Outcome {
    try await TemporaryFolder.with { folder in
      for (name, body) in programs {
        var writing = ChildProcess("/bin/sh", ["-c", "cat > '\(name)' && chmod 755 '\(name)'"])
        writing.folder = folder
        writing.input = "#!/bin/sh\n\(body)\n"
        let written = try await writing.run()
        try #require(written.succeeded, "\(written)")
      }
      var child = ChildProcess("\(Repository.root)/scripts/setup")
      child.environment = ["PATH": "\(folder):/usr/bin:/bin"]
      return try await child.run()
    }
  }

  private static let nothingInstalled = "exit 1"
  private static let refusing = "exit 1"

  @Test func `with everything installed it does nothing`() async throws {
    let outcome = try await Self.setup(["dpkg-query": "echo installed", "apt-get": "exit 9"])
    #expect(outcome.succeeded && outcome.output + outcome.errors == "", "\(outcome)")
  }

  @Test func `without the right to install it prints the one line to run`() async throws {
    let outcome = try await Self.setup(
      ["dpkg-query": Self.nothingInstalled, "id": "echo 1000", "sudo": Self.refusing, "apt-get": "echo installing"])
    #expect(outcome.status == 1 && !outcome.errors.contains("installing"), "\(outcome)")
    #expect(outcome.errors.contains("sudo sh -c 'apt-get update && apt-get install --yes"), "\(outcome)")
    #expect(outcome.errors.contains("libssl-dev libsqlite3-dev libargon2-dev libqrencode-dev"), "\(outcome)")
  }

  @Test(arguments: [["id": "echo 0"], ["id": "echo 1000", "sudo": "[ \"$1\" = --non-interactive ] || exec \"$@\""]])
  func `root, and who may become root, installs what is missing`(rights: [String: String]) async throws {
    let half = #"case "$*" in *libssl-dev*) echo installed;; *) exit 1;; esac"#
    let outcome = try await Self.setup(["dpkg-query": half, "apt-get": "echo apt-get \"$@\""].merging(rights) { $1 })
    #expect(outcome.succeeded, "\(outcome)")
    #expect(
      outcome.errors.hasSuffix(
        "apt-get update\napt-get install --yes --no-install-recommends libsqlite3-dev libargon2-dev libqrencode-dev\n"),
      "\(outcome)")
  }

  @Test func `an installation that fails is a failure`() async throws {
    let outcome = try await Self.setup(["dpkg-query": Self.nothingInstalled, "id": "echo 0", "apt-get": "exit 100"])
    #expect(!outcome.succeeded)
  }
}
