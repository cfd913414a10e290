import Foundation
import Testing

/// A command reads what is there: it waits for standard input, and for no other pipe or device.
struct BoundedInputTests {
  @Test(
    arguments: [
      ["key", "show"], ["key", "thumbprint"], ["key", "convert", "--to", "jwks"], ["jwks"], ["jwt", "sign", "--key"],
      ["verify", "a.b.c", "--jwks"], ["verify", "--batch", "--jwks"],
      ["jwt", "sign", "--key", "key", "--claims-file"], ["key", "show", "key", "--passphrase-file"],
      ["sign-in", "ada@example.com", "--password-file"], ["sign-up", "eve@example.com", "--password-file"],
      ["provider", "restore"], ["queuecheck", "--suppress"],
    ], ["pipe", "/dev/zero"])
  func `a pipe and a device are refused at once`(arguments: [String], name: String) async throws {
    try await GateHome.withAda { home in
      let made = try await home.shell("mkfifo pipe && gate key generate --out key")
      #expect(made.succeeded, "\(made)")
      let end = arguments.first == "queuecheck" ? ["--", "true"] : []
      let outcome = try await home.shell(
        "exec gate --home \"$home\" \((arguments + [name] + end).joined(separator: " ")) < /dev/null")
      // What queuecheck cannot use is refused before the program starts, as wrong usage.
      let status: Int32 = arguments.first == "queuecheck" ? 2 : 1
      #expect(outcome.status == status && outcome.output == "", "\(outcome)")
      let reasons = ["\(name) is a pipe or a device", "\(name) is not a plain file"]
      #expect(reasons.contains { outcome.errors.contains($0) }, "\(outcome)")
    }
  }

  @Test func `a pipe that can be run is no program`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell("mkfifo pipe; chmod +x pipe; exec gate queuecheck -- ./pipe")
      #expect(outcome.errors.contains("there is no program ./pipe"), "\(outcome)")
    }
  }

  @Test func `standard input is a file by its name, also as a pipe`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        """
        gate key generate --out key > shown
        gate key thumbprint key; cat key | gate key thumbprint /dev/stdin; gate key thumbprint /dev/stdin < key
        exec 7< key; gate key thumbprint /dev/fd/7; cat key | gate key thumbprint /proc/self/fd/0
        """)
      let lines = outcome.output.split(separator: "\n")
      #expect(outcome.succeeded && lines.count == 5 && Set(lines).count == 1, "\(outcome)")
      let gone = try await home.shell("gate key thumbprint /dev/fd/9 9<&-")
      #expect(gone.status == 1 && gone.errors.contains("[storeUnreadable]"), "\(gone)")
    }
  }

  @Test(.enabled("flock is not installed") { await Flock.isThere })
  func `a provider that another process opens is waited for, but not for ever`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        "exec flock \"$home/provider/opening.lock\" gate --home \"$home\" jwks")
      #expect(outcome.status == 1 && outcome.output == "", "\(outcome)")
      #expect(outcome.errors.contains("/provider/opening.lock for 5.0 s; end it, or try again"), "\(outcome)")
    }
  }
}

private enum Flock {
  static var isThere: Bool {
    get async { (try? await ChildProcess("flock", ["--version"]).run())?.succeeded ?? false }
  }
}
