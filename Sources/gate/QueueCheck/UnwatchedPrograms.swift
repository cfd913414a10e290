import GatehouseQueues
import GatehouseSystem

/// The programs that run under the one that the user named, and that the library was not loaded into: static ones, and
/// those whose environment was cleared.
///
/// Looks at them again and again. A program that runs for less than the pause between two looks can be missed.
final class UnwatchedPrograms: Sendable {
  private struct Program: Hashable { let id: Int32, path: String }
  private struct State: Sendable {
    /// How often each was seen without the library.
    var looks: [Program: Int] = [:]
    /// Those that have it, and those whose reason is known.
    var settled: Set<Program> = []
    var reasons: [String] = []
  }

  private let state = Lock(State())
  private static let pause = Duration.milliseconds(20)
  /// The dynamic linker loads the library some time after a program began.
  private static let patience = 5
  /// A program may start itself over and over; more than this is not read.
  private static let maximumPrograms = 1 << 12

  /// The programs, each with the reason, in the order in which they were seen.
  var reasons: [String] { state.withLock { $0.reasons } }

  /// Looks at a process and its descendants until the task is cancelled.
  func watch(_ id: Int32) async {
    let own = (try? CurrentProcess.executable()) ?? ""
    while !Task.isCancelled {
      for program in Self.descendants(of: id) where program.path != own { look(at: program) }
      try? await Task.sleep(for: Self.pause)
    }
  }

  private func look(at program: Program) {
    let looks = state.withLock { state -> Int? in
      let isNew = !state.settled.contains(program) && state.settled.count + state.looks.count < Self.maximumPrograms
      return isNew ? state.looks[program, default: 0] : nil
    }
    guard let looks else { return }
    let maps = MappedImages.maps(of: "\(program.id)")
    // It may have ended, or have become another program meanwhile.
    guard !maps.isEmpty, Self.path(of: program.id) == program.path else { return }
    let isWatched = maps.contains(ProgramImages.ownName)
    let cleared = looks >= Self.patience ? "it runs without the library (was its environment cleared?)" : nil
    let reason = isWatched ? nil : Executable.obstacle(at: program.path) ?? cleared
    state.withLock { state in
      guard isWatched || reason != nil else { return state.looks[program] = looks + 1 }
      state.looks[program] = nil
      state.settled.insert(program)
      guard let reason else { return }
      let line = "\(program.path): \(reason)"
      if !state.reasons.contains(line) { state.reasons.append(line) }
    }
  }

  private static func descendants(of id: Int32) -> [Program] {
    guard let path = path(of: id) else { return [] }
    // The children of each thread.
    let threads = (try? OpenFolder("/proc/\(id)/task").names()) ?? []
    let children = threads.flatMap { thread in
      let text = (try? OpenFile("/proc/\(id)/task/\(thread)/children").readAll(limit: 1 << 16)) ?? nil
      return String(decoding: text ?? [], as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
    }
    return [Program(id: id, path: path)] + children.flatMap(descendants)
  }

  private static func path(of id: Int32) -> String? { try? CurrentProcess.executable(of: id) }
}
