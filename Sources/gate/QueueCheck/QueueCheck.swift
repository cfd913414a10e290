import ArgumentParser
import CGatehouseWaits
import Foundation
import GatehouseBase
import GatehouseQueues
import GatehouseSystem
import GatehouseWaits

/// One program under the wait monitor: the program records, this process analyzes.
final class QueueCheck: Sendable {
  private let command: [String]
  private let program: Executable
  private let records: Records
  private let stall: Duration
  private let isTraced: Bool
  private let stalls = Lock([WaitReport]())

  init(command: [String], stall: Duration, isTraced: Bool) throws {
    guard let name = command.first else { throw AuthError(.invalidArgument, "no program was given") }
    do { program = try Executable(named: name) } catch {
      StandardError.say("\(error)")
      throw ExitCode(ExitStatus.usage)
    }
    if let obstacle = program.obstacle {
      StandardError.say("\(name) cannot be watched: \(obstacle)")
      throw ExitCode(2)
    }
    self.command = command
    self.stall = stall
    self.isTraced = isTraced
    do throws(SystemError) { records = try Records(isTest: Self.isSwiftTest(command)) } catch {
      throw AuthError(.storeFailed, "records cannot be received: \(error)")
    }
  }

  private static func isSwiftTest(_ command: [String]) -> Bool {
    guard let name = command.first?.split(separator: "/").last else { return false }
    return name == "swift-test" || (name == "swift" && command.dropFirst().first == "test")
  }

  /// Runs the program until it ends, by itself or because it hangs.
  func run(_ signals: PassedSignals) async throws -> RunningProgram.Ending {
    var environment = ProcessInfo.processInfo.environment
    let others = GivenText.variable("LD_PRELOAD").map { ":\($0)" } ?? ""
    environment["LD_PRELOAD"] = try Executable.monitor() + others
    environment[GWR_SOCKET_VARIABLE] = records.name
    environment[GWR_PARENT_VARIABLE] = "\(CurrentProcess.id)"
    if isTraced { environment[GWR_TRACE_VARIABLE] = "1" }
    let program = Program(program.path, command, environment: environment)
    let watch = Lock<Task<Void, Never>?>(nil)
    defer { watch.withLock { $0 }?.cancel() }
    do throws(SystemError) {
      return try await program.ending { [self] running in
        signals.pass(to: running)
        watch.withLock { $0 = Task { await self.watch(running.id) } }
      } ended: {
        signals.passNoMore()
      }
    } catch {
      throw AuthError(.invalidArgument, "\(program.path) cannot be started: \(error)")
    }
  }

  private func watch(_ id: Int32) async {
    var detectors: [Int32: StallDetector] = [:]
    while !Task.isCancelled {
      records.keepImages()
      for record in records.chosen {
        let snapshot = record.snapshot
        guard let sign = detectors[record.processID, default: StallDetector(limit: stall)].look(at: snapshot) else {
          continue
        }
        let names = ClassNames(snapshot.classes, images: records.images(of: record)).waitNames
        guard let finding = snapshot.finding(sign, names) else { continue }
        stalls.withLock { $0.append(finding.report) }
        guard finding.isCertain else {
          StandardError.write(line: "gate queuecheck: no progress for a while\n\(finding.report)".printable)
          continue
        }
        Signal.kill.send(to: record.processID)
        if record.processID != id { Signal.terminate.send(to: id) }
        return
      }
      try? await Task.sleep(for: .milliseconds(100))
    }
  }

  /// Prints what the threads hold and wait for now, on SIGQUIT.
  func printState() {
    for record in records.chosen {
      let snapshot = record.snapshot
      let names = ClassNames(snapshot.classes, images: records.images(of: record)).waitNames
      StandardError.write(line: snapshot.description(names).printable)
    }
  }

  /// The timeline of all processes of interest, as one trace.
  var timeline: JSONObject {
    let events = records.chosen.flatMap { record in
      let images = records.images(of: record)
      return Timeline(
        of: record.events, processID: record.processID, program: images.programName, start: record.header.begun_at,
        lost: record.lostEvents, names: ClassNames(record.classes, images: images).waitNames
      ).events
    }
    return ["displayTimeUnit": "ms", "traceEvents": .array(events)]
  }

  func outcome(suppressing suppressions: Suppressions) -> QueueCheckOutcome {
    QueueCheckOutcome(records: records, stalls: stalls.withLock { $0 }, suppressions: suppressions)
  }
}
