import ArgumentParser
import CGatehouseWaits
import Foundation
import GatehouseBase
import GatehouseQueues
import GatehouseSystem
import GatehouseWaits

/// One program under the wait monitor. The program records its waits, and this process analyzes them.
final class QueueCheck: Sendable {
  private let command: [String]
  private let program: Executable
  private let records: Records
  private let stall: Duration
  private let isTraced: Bool
  private let mainIsNoGuard: Bool
  /// The reason why the program's waits cannot be seen; `nil` if they can. The program runs in any case, but without
  /// the library.
  private let obstacle: String?
  private let unwatched = UnwatchedPrograms()
  /// The time at which the program ended, in monotonic nanoseconds.
  private let endedAt = Lock(UInt64(0))
  private let stalls = Lock([WaitReport]())
  private let hangs: Lock<HangWatch>

  /// - Parameter mainIsNoGuard: whether cycles that are prevented only by the main queue are findings.
  init(command: [String], stall: Duration, isTraced: Bool, mainIsNoGuard: Bool) throws(AuthError) {
    guard let name = command.first else { throw AuthError(.invalidArgument, "no program was given") }
    program = try Executable(named: name)
    obstacle = program.obstacle
    self.command = command
    self.stall = stall
    self.isTraced = isTraced
    hangs = Lock(HangWatch(limit: stall))
    self.mainIsNoGuard = mainIsNoGuard
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
    if obstacle == nil {
      let others = GivenText.variable("LD_PRELOAD").map { ":\($0)" } ?? ""
      let first = program.sanitizerLibraries.map { "\($0):" }.joined()
      environment["LD_PRELOAD"] = first + (try Executable.monitor()) + others
      // This is for programs that the program starts: the address sanitizer's library refuses to be loaded second.
      let options = GivenText.variable("ASAN_OPTIONS").map { "\($0):" } ?? ""
      environment["ASAN_OPTIONS"] = options + "verify_asan_link_order=0"
      environment[GWR_SOCKET_VARIABLE] = records.name
      environment[GWR_PARENT_VARIABLE] = "\(CurrentProcess.id)"
      if isTraced { environment[GWR_TRACE_VARIABLE] = "1" }
    }
    let watches = Lock<[Task<Void, Never>]>([])
    defer { for watch in watches.withLock({ $0 }) { watch.cancel() } }
    do throws(SystemError) {
      return try await Program(program.path, command, environment: environment).ending {
        [self] program throws(SystemError) in
        let running = try signals.start(program)
        watches.withLock {
          $0 = [Task { await self.watch(running.id) }, Task { [unwatched] in await unwatched.watch(running.id) }]
        }
        return running
      } ended: { [self] in
        signals.passNoMore()
        endedAt.withLock { $0 = DispatchTime.now().uptimeNanoseconds }
        // The program may have gone on, and have ended, since the last look.
        let last = records.chosen.map(\.snapshot)
        hangs.withLock { hangs in for snapshot in last { hangs.end(at: snapshot) } }
      }
    } catch {
      throw AuthError(.invalidArgument, "\(program.path) cannot be started: \(error)")
    }
  }

  private func watch(_ id: Int32) async {
    while !Task.isCancelled {
      let begun = DispatchTime.now().uptimeNanoseconds
      records.keepImages()
      if let process = lookForHangs() {
        Signal.kill.send(to: process)
        if process != id { Signal.terminate.send(to: id) }
        return
      }
      // A look at twenty thousand threads takes a second, and reads what the program writes. A program gets at most one
      // tenth of its time less.
      let cost = DispatchTime.now().uptimeNanoseconds - begun
      try? await Task.sleep(for: max(.milliseconds(100), .nanoseconds(Int64(clamping: cost)) * 10))
    }
  }

  /// Looks at each process once. Returns the first process that certainly hangs; it is then in the findings.
  ///
  /// A wait that may only be slow becomes a note. The note is printed at once, because the program may have to be ended
  /// by hand, and is withdrawn if the program goes on.
  private func lookForHangs() -> Int32? {
    for record in records.chosen {
      let snapshot = record.snapshot
      let finding = hangs.withLock {
        $0.look(
          at: snapshot, { ClassNames(snapshot.classes, images: records.images(of: record)).waitNames },
          system: { SystemThreads(of: record.processID, main: record.header.main_tid) })
      }
      guard let finding else { continue }
      guard finding.isCertain else {
        StandardError.write(line: "gate queuecheck: note: no progress for a while\n\(finding.report)".printable)
        continue
      }
      stalls.withLock { $0.append(finding.report) }
      return record.processID
    }
    return nil
  }

  /// Waits that may only be slow, and that still lasted when the program ended.
  private var notes: [WaitReport] { hangs.withLock { $0.notes } }

  /// Prints what the threads hold and wait for now. It is called on `SIGQUIT`.
  func printState() {
    for record in records.chosen {
      let snapshot = record.snapshot
      let names = ClassNames(snapshot.classes, images: records.images(of: record)).waitNames
      StandardError.write(line: snapshot.description(names).printable)
    }
  }

  /// The timeline of all relevant processes, as one trace.
  var timeline: JSONObject {
    let events = records.chosen.flatMap { record in
      let images = records.images(of: record)
      return Timeline(
        of: record.events, processID: record.processID, program: images.programName, start: record.header.begun_at,
        lost: record.lostEvents, last: record.snapshot, end: endedAt.withLock { $0 },
        names: ClassNames(record.classes, images: images).waitNames
      ).events
    }
    return ["displayTimeUnit": "ms", "traceEvents": .array(events)]
  }

  /// - Parameter isEnded: whether the search for cycles shall end with what it has found so far.
  func outcome(
    suppressing suppressions: Suppressions, isEnded: @escaping @Sendable () -> Bool
  ) -> QueueCheckOutcome {
    QueueCheckOutcome(
      records: records, stalls: stalls.withLock { $0 }, slow: notes, suppressions: suppressions,
      mainIsNoGuard: mainIsNoGuard, unwatched: obstacle.map { ["\(program.path): \($0)"] } ?? unwatchedPrograms,
      isEnded: isEnded)
  }

  /// The programs that were not watched, each with the reason: those that were seen while they ran, and those that a
  /// watched program started.
  private var unwatchedPrograms: [String] {
    let seen = unwatched.reasons
    let started = records.all.flatMap(\.dropped).filter { name in !seen.contains { $0.hasPrefix("\(name): ") } }
    let more = records.all.reduce(0) { $0 + $1.droppedMore }
    return seen
      + Set(started).sorted().map { "\($0): it was started without the library (its environment was cleared)" }
      + (more > 0 ? ["\(more) more programs were started without the library"] : [])
  }
}
