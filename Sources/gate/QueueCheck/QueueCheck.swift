import ArgumentParser
import CGatehouseWaits
import Foundation
import GatehouseBase
import GatehouseQueues

/// One program under the wait monitor: it records, this process thinks.
final class QueueCheck: Sendable {
  private let command: [String]
  private let program: Executable
  private let folder: RecordFolder
  private let stall: Double
  private let isTraced: Bool
  private let stalls = Lock([WaitReport]())

  init(command: [String], stall: Double, isTraced: Bool) throws {
    guard let name = command.first else { throw AuthError(.invalidArgument, "no program is named") }
    program = try Executable(named: name)
    if let obstacle = program.obstacle {
      StandardError.say("\(name) cannot be watched: \(obstacle)")
      throw ExitCode(2)
    }
    self.command = command
    self.stall = stall
    self.isTraced = isTraced
    folder = RecordFolder(path: try Spawn.makeFolder(), isTest: Self.isSwiftTest(command))
  }

  private static func isSwiftTest(_ command: [String]) -> Bool {
    guard let name = command.first?.split(separator: "/").last else { return false }
    return name == "swift-test" || (name == "swift" && command.dropFirst().first == "test")
  }

  func remove() { folder.remove() }

  /// Runs the program to its end, its own or the one that a stall makes.
  func run(_ signals: PassedSignals) async throws -> Spawn.Ending {
    var environment = ProcessInfo.processInfo.environment
    let others = environment["LD_PRELOAD"].map { ":\($0)" } ?? ""
    environment["LD_PRELOAD"] = try Executable.monitor() + others
    environment[GWR_FOLDER_VARIABLE] = folder.path
    environment[GWR_PARENT_VARIABLE] = "\(getpid())"
    if isTraced { environment[GWR_TRACE_VARIABLE] = "1" }
    let id = try Spawn.start(program.path, command, environment: environment)
    signals.pass(to: id)
    let watch = Task { await self.watch(id) }
    let ending = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: Spawn.wait(for: id)) }
    }
    watch.cancel()
    signals.passNoMore()
    return ending
  }

  private func watch(_ id: pid_t) async {
    var watches: [Int32: StallWatch] = [:]
    while !Task.isCancelled {
      folder.keepImages()
      for record in folder.chosen {
        let state = ProgramState(record)
        guard let sign = watches[record.processID, default: StallWatch(limit: stall)].look(at: state),
          let found = report(sign, state, record)
        else { continue }
        stalls.withLock { $0.append(found) }
        kill(record.processID, SIGKILL)
        if record.processID != id { kill(id, SIGTERM) }
        return
      }
      try? await Task.sleep(for: .milliseconds(100))
    }
  }

  /// What a sign means; nil while somebody may just be slow.
  private func report(_ sign: StallWatch.Sign, _ state: ProgramState, _ record: RecordFile) -> WaitReport? {
    let still = state.standstill
    let names = ClassNames(record.classes, images: folder.images(of: record)).forReports
    var exhausted: WaitReport { still.exhausted(pending: Int(state.starved), names) }
    switch sign {
    case .circle(let threads): return still.report(circle: threads, names)
    case .exhaustion: return exhausted
    case .silence:
      if let report = still.undrained(names, countsBusy: false) ?? (state.isStarved ? exhausted : nil) { return report }
      if let report = still.heldUp(names) {
        StandardError.write(line: "gate queuecheck: nothing has moved for a while\n\(report)".printable)
        stalls.withLock { $0.append(report) }
      }
      return nil
    }
  }

  /// What is known at this moment, on SIGQUIT.
  func printState() {
    for record in folder.chosen {
      StandardError.write(line: ProgramState(record).description(images: folder.images(of: record)).printable)
    }
  }

  /// Of all processes of interest.
  var timeline: JSONObject {
    let events = folder.chosen.flatMap { Timeline($0, images: folder.images(of: $0)).json }
    return ["displayTimeUnit": "ms", "traceEvents": .array(events)]
  }

  func outcome(suppressing suppressions: Suppressions) -> QueueCheckOutcome {
    QueueCheckOutcome(folder: folder, stalls: stalls.withLock { $0 }, suppressions: suppressions)
  }
}
