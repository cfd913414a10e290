import GatehouseQueues
import GatehouseSystem

/// The programs into which the library was not loaded, among the one that the user named and its descendants: static
/// programs, and programs whose environment was cleared.
///
/// It looks again and again. A program that runs for less time than the pause between two looks can be missed.
final class UnwatchedPrograms: Sendable {
  private struct Program: Hashable { let id: Int32, path: String }
  private struct State: Sendable {
    /// How often each program was seen without the library.
    var looks: [Program: Int] = [:]
    /// The programs that have the library, and those whose reason is known.
    var settled: Set<Program> = []
    var reasons: [String] = []
  }

  private let state = Lock(State())
  private static let pause = Duration.milliseconds(20)
  /// The number of looks before a program counts as not watched: the dynamic linker loads the library some time after
  /// the program began.
  private static let patience = 5
  /// The maximum number of programs that are examined, because a program may start itself again and again.
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
    // The process may have ended in the meantime, or have become another program.
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
    // The children are listed separately for each thread.
    let threads = (try? OpenFolder("/proc/\(id)/task").names()) ?? []
    let children = threads.flatMap { thread in
      let text = (try? OpenFile("/proc/\(id)/task/\(thread)/children").readAll(limit: 1 << 16)) ?? nil
      return String(decoding: text ?? [], as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
    }
    return [Program(id: id, path: path)] + children.flatMap(descendants)
  }

  private static func path(of id: Int32) -> String? { try? CurrentProcess.executable(of: id) }
}
