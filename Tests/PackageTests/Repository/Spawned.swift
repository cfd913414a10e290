import Dispatch
import Foundation
import Synchronization

/// A program that was started, with pipes for its input and output.
///
/// Foundation's `Process` reads past its list of this process's open files when there are more than 1,364. Tests that
/// run in parallel have that many.
final class Spawned: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The ends of the pipes that are ours.
  let input, output, errors: FileHandle
  private let id: pid_t
  /// Whether the program's number may be another's by now; locked while the number is used.
  private let isOver = Mutex(false)
  /// One start at a time: a program must not get the pipes of another one.
  private static let starts = NSLock()

  init(_ arguments: [String], environment: [String: String]) throws {
    Self.starts.lock()
    defer { Self.starts.unlock() }
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    let theirs = [input.fileHandleForReading, output.fileHandleForWriting, errors.fileHandleForWriting]
    self.input = input.fileHandleForWriting
    self.output = output.fileHandleForReading
    self.errors = errors.fileHandleForReading
    for file in theirs + [self.input, self.output, self.errors] {
      guard fcntl(file.fileDescriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw Failure(description: "fcntl: \(errno)") }
    }
    // `unsafe`, here and below: what is pointed to lives until the call has returned, and is freed by then.
    var argv = unsafe arguments.map { unsafe strdup($0) } + [nil]
    var envp = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer {
      unsafe argv.forEach { unsafe free($0) }
      unsafe envp.forEach { unsafe free($0) }
      unsafe posix_spawn_file_actions_destroy(&actions)
    }
    for (number, file) in theirs.enumerated() {
      unsafe posix_spawn_file_actions_adddup2(&actions, file.fileDescriptor, Int32(number))
    }
    // Files of other tests, and of the program that started this one, may be open for every program. Swift's Glibc
    // module omits the function. `unsafe`: the type is that of its declaration in `spawn.h`.
    typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
    guard let symbol = unsafe dlsym(nil, "posix_spawn_file_actions_addclosefrom_np"),
      unsafe unsafeBitCast(symbol, to: CloseFrom.self)(&actions, 3) == 0
    else { throw Failure(description: "the files above 2 cannot be closed in a program") }
    var id: pid_t = 0
    let failure = unsafe posix_spawn(&id, arguments[0], &actions, nil, &argv, &envp)
    guard failure == 0 else { throw Failure(description: "\(arguments) cannot be started: \(failure)") }
    self.id = id
    for file in theirs { try file.close() }
  }

  /// Sends a signal, if the program has not ended.
  func signal(_ number: Int32) {
    isOver.withLock { isOver in
      if !isOver { kill(id, number) }
    }
  }

  /// The exit status of the program when it has ended, or 128 and the number of the signal that ended it, as in a
  /// shell.
  func status() async -> Int32 {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "child").async { [self] in
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        let status = isOver.withLock { isOver in
          var status: Int32 = 0
          while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
          isOver = true
          return status
        }
        let signal = status & 0x7F
        continuation.resume(returning: signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
      }
    }
  }
}
