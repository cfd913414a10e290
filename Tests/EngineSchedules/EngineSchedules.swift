import ArgumentParser
import Foundation
import GatehouseSchedules
import GatehouseTesting

/// The engine's contract under seeded schedules: what `scripts/schedules` builds and runs.
@main
struct EngineSchedules: ParsableCommand {
  @Option(help: "How many schedules, of all scenarios together.") var schedules = 10_000
  @Option(help: "The same seed gives the same schedules.") var seed: UInt64 = 1
  @Option(help: "Only this scenario.") var scenario: String?
  @Flag(help: "Ends with the first scenario that fails.") var untilFailure = false
  @Option(help: "SCENARIO:SCHEDULE, as a failure tells it: runs this schedule, and prints what happens in it.")
  var replay: String?

  func validate() throws {
    if let scenario, Scenario.named(scenario) == nil { throw Scenario.unknown(scenario) }
    guard schedules > 0 else { throw ValidationError("--schedules wants a number above 0") }
  }

  func run() throws {
    if let replay { return try run(again: replay) }
    let chosen = Scenario.all.filter { scenario == nil || $0.name == scenario }
    var hasFailed = false
    for scenario in chosen {
      let report = Schedules.explore(max(schedules / chosen.count, 1), seed: seed, scenario.body)
      print(line(for: scenario, report))
      guard let failure = report.failure else { continue }
      hasFailed = true
      print("  \(failure.description.replacing("\n", with: "\n  "))")
      print("  scripts/schedules --replay \(scenario.name):\(failure.schedule)")
      if untilFailure { break }
    }
    if hasFailed { throw ExitCode(1) }
  }

  private func line(for scenario: Scenario, _ report: ScheduleReport) -> String {
    let rate = Double(report.schedules) / max(report.duration / .seconds(1), 1e-9)
    let steps = report.steps / max(report.schedules, 1)
    let verdict = report.failure == nil ? "held" : "FAILED"
    return "\(scenario.name): \(report.schedules) schedules, \(report.different) different, "
      + "\(steps) steps each, \(Int(rate)) a second: \(verdict)"
  }

  private func run(again text: String) throws {
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else { throw ValidationError("--replay wants SCENARIO:SCHEDULE") }
    guard let scenario = Scenario.named(String(parts[0])) else { throw Scenario.unknown(String(parts[0])) }
    let report = Schedules.replay(String(parts[1]), scenario.body)
    guard let failure = report.failure else { return print("It holds.") }
    for line in failure.trace { print(line) }
    print(failure)
    throw ExitCode(1)
  }
}

/// A scenario by its name.
struct Scenario: Sendable {
  let name: String
  let body: Schedules.Scenario

  static let all = [
    Scenario(name: "sign-in", body: SignIn.run),
    Scenario(name: "sign-out-against-sign-in", body: SignOutAgainstSignIn.run),
    Scenario(name: "refresh", body: Refresh.run),
    Scenario(name: "password-against-refresh", body: PasswordAgainstRefresh.run),
    Scenario(name: "sign-out-against-refresh", body: SignOutAgainstRefresh.run),
    Scenario(name: "sign-out-against-restore", body: SignOutAgainstRestore.run),
    Scenario(name: "user-switch", body: UserSwitch.run),
    Scenario(name: "switch-against-refresh", body: SwitchAgainstRefresh.run),
    Scenario(name: "saved-users", body: SavedUsers.run),
    Scenario(name: "late-refresh", body: LateRefresh.run),
    Scenario(name: "late-change", body: LateChange.run),
    Scenario(name: "late-answer", body: LateAnswer.run),
    Scenario(name: "listeners", body: Listeners.run),
    Scenario(name: "two-auths", body: TwoAuths.run),
    Scenario(name: "unsaved-changes", body: UnsavedChanges.run),
    Scenario(name: "two-names", body: TwoNames.run),
    Scenario(name: "failing-store", body: FailingStore.run),
    Scenario(name: "close-while-signing-in", body: CloseWhileSigningIn.run),
    Scenario(name: "reauthentication-against-refresh", body: ReauthenticationAgainstRefresh.run),
    Scenario(name: "link-against-sign-out", body: LinkAgainstSignOut.run),
    Scenario(name: "address-against-refresh", body: AddressAgainstRefresh.run),
    Scenario(name: "second-factor-against-user-switch", body: SecondFactorAgainstUserSwitch.run),
    Scenario(name: "lending-agent", body: LendingAgent.run),
  ]

  static func named(_ name: String) -> Scenario? { all.first { $0.name == name } }

  static func unknown(_ name: String) -> ValidationError {
    ValidationError("there is no scenario \(name); there are: \(all.map(\.name).joined(separator: ", "))")
  }
}
