import Foundation

/// A home for the built `gate` command, as a user has one: a folder that lives as long as a test's body.
struct GateHome: Sendable {
  /// Holds the home and whatever else a test needs.
  let folder: String
  var path: String { folder + "/home" }
  var session: String { path + "/session.json" }

  static let email = "ada@example.com"
  static let password = "correct horse battery"

  /// A home that is not there yet.
  static func withNone<Result>(_ body: (GateHome) async throws -> Result) async throws -> Result {
    await Turnstile.shared.enter()
    do {
      let result = try await TemporaryFolder.with { try await body(GateHome(folder: $0)) }
      await Turnstile.shared.leave()
      return result
    } catch {
      await Turnstile.shared.leave()
      throw error
    }
  }

  /// A home where Ada has signed up: a copy of one that was made once, because keys and passwords are slow.
  static func withAda<Result>(_ body: (GateHome) async throws -> Result) async throws -> Result {
    let original = try await Template.home.value
    return try await withNone { home in
      _ = try await home.shell("cp -a \"$1\" \"$2\"", original, home.path)
      return try await body(home)
    }
  }

  /// Runs `gate` with `--home` and waits for its end.
  func gate(
    _ arguments: String..., input: String = "", environment: [String: String] = [:]
  ) async throws -> ChildProcess.Outcome {
    try await gate(arguments, input: Array(input.utf8), environment: environment)
  }

  /// Runs `gate` with any bytes as its standard input, from a file.
  func gate(
    _ arguments: [String], input: [UInt8], environment: [String: String] = [:]
  ) async throws -> ChildProcess.Outcome {
    let file = "\(folder)/input-\(UUID().uuidString)"
    try Data(input).write(to: URL(filePath: file))
    return try await shell(
      "input=$1; shift; exec gate \"$@\" < \"$input\"", arguments: [file, "--home", path] + arguments,
      environment: environment)
  }

  /// Runs a line of shell, in which `gate` is the built command, `$home` its home, and `$1`, `$2`, … are the arguments.
  /// `await CONDITION` waits, as `ShellWait` says.
  func shell(
    _ line: String, _ arguments: String..., environment: [String: String] = [:]
  ) async throws -> ChildProcess.Outcome {
    try await shell(ShellWait.function + line, arguments: arguments, environment: environment)
  }

  private func shell(
    _ line: String, arguments: [String], environment: [String: String]
  ) async throws -> ChildProcess.Outcome {
    var child = ChildProcess("/bin/sh", ["-c", line, "sh"] + arguments)
    child.folder = folder
    child.environment = self.environment.merging(environment) { $1 }
    return try await child.run()
  }

  /// In which `gate` is the built command, and `$home` its home. Passwords cost little: threads that hash give way to all
  /// others, and take many times as long while those want the processors.
  var environment: [String: String] {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return [
      "PATH": "\(Repository.products):\(path)", "home": self.path, "GATEHOUSE_HOME": "", "GATEHOUSE_TOKEN_LIFETIME": "",
      "GATEHOUSE_PROVIDER_PASSWORD_COST_N": "8192", "GATEHOUSE_PROVIDER_PASSWORD_COST_P": "1",
    ]
  }

  /// The names in a folder of the home, in order.
  func names(in place: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(place)").sorted()
  }

  func mode(of file: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
  }
}

/// Ada's home, made once in a run of the tests and removed when it ends.
private enum Template {
  static let folder = NSTemporaryDirectory() + "/gatehouse-template-\(UUID().uuidString)"

  static let home = Task {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    atexit { try? FileManager.default.removeItem(atPath: Template.folder) }
    let home = GateHome(folder: folder)
    let made = try await home.gate("sign-up", GateHome.email, "--password-stdin", input: GateHome.password)
    guard made.succeeded else { throw Failure(outcome: made) }
    return home.path
  }

  struct Failure: Error { let outcome: ChildProcess.Outcome }
}

/// Lets few tests have a home at once: a hundred programs that hash passwords at the same time meet their deadlines.
private actor Turnstile {
  static let shared = Turnstile()
  private var free = 6
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func enter() async {
    guard free == 0 else { return free -= 1 }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Passes the slot to the test that has waited longest.
  func leave() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}
