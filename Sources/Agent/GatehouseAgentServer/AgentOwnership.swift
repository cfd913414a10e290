import GatehouseBase
package import GatehouseSystem

/// The ownership of an agent's folder: a lock that one process has until it ends, however it ends.
///
/// The owner writes a sign of life into the lock's file (`beat`). A second process that finds the lock taken:
///
///     the owner                            the second process
///     ends within the patience             becomes the owner
///     has given a sign of life lately      is refused
///     has been silent for too long         ends the owner (`SIGKILL`), and takes its place
///     is silent, and answers otherwise     is refused: it cannot write its signs, as on a full disk
///     is silent, and cannot be ended       is refused
///
/// A process that was ended never wakes: nothing of it needs to be refused later, and the kernel releases all of its
/// locks. A process in another container or on another machine is never ended, because its process ID or its boot
/// differs.
package final class AgentOwnership: Sendable {
  /// The answer to a process that wants to be the owner.
  package enum Answer: Sendable {
    case owner(AgentOwnership)
    /// Another process is the owner. The text names it: `process 4242 runs the agent`.
    case refused(String)
  }

  /// This process's user.
  package let user: UInt32
  /// The silence after which another process may end this one, in seconds.
  package let silence: Int
  private let file: OpenFile

  private init(_ file: consuming OpenFile, silence: Int) throws(SystemError) {
    user = try CurrentUser.id
    self.silence = silence
    self.file = file
  }

  // A program that is just being started has the file open as well.
  deinit { file.unlock() }

  /// Gives a sign of life.
  package func beat(at now: AwakeMoment = .now()) throws(SystemError) {
    try file.write(OwnerSign(process: CurrentProcess.id, moment: now, silence: silence).bytes, at: 0)
  }

  /// Asks for the ownership of a folder. Blocks its thread.
  ///
  /// - Parameters:
  ///   - folder: the path of the folder, which exists.
  ///   - silence: the silence after which another process may end this one, in seconds.
  ///   - patience: the time for which an owner may end by itself, in seconds. After it was ended it has the same time.
  ///   - now: the present moment. It is read after the patience.
  ///   - answers: whether a process, which has been silent, gives a sign of life in another way.
  ///   - end: ends a process, which has been silent for so many seconds.
  package static func ask(
    for folder: String, silence: Int, patience: Double = 3, now: () -> AwakeMoment = { .now() },
    answers: (_ process: Int32) -> Bool = { _ in false }, end: (_ process: Int32, _ silentFor: Int) -> Void
  ) throws(SystemError) -> Answer {
    let file = try OpenFolder.own(folder).openOwn("lock", .readingOrMaking, .unwritable)
    var isOurs = try file.lock(patience: patience)
    if !isOurs {
      // The kernel names the holder after the sign was read, so it is the holder that has been silent.
      let sign = try OwnerSign.read(from: file)
      guard let holder = file.lockHolderID(), let sign, sign.process == holder, let silent = sign.silence(at: now())
      else { return .refused("\(file.lockHolder()) runs the agent") }
      guard !answers(holder) else {
        return .refused(
          "process \(holder) cannot write its signs of life (is its disk full?), answers, and runs the agent")
      }
      end(holder, silent)
      isOurs = try file.lock(patience: patience)
      guard isOurs else {
        return .refused("process \(holder) has been silent for \(silent) s, did not end, and runs the agent")
      }
    }
    let ownership = try AgentOwnership(file, silence: silence)
    try ownership.beat(at: now())
    return .owner(ownership)
  }
}

/// A moment on the clock that counts the time since the machine was started, without the time of suspends.
///
/// A healthy owner gives no sign of life in a suspend. So the time of a suspend is not silence.
package struct AwakeMoment: Sendable, Hashable {
  package let bootID: String
  package let seconds: Double

  package init(bootID: String, seconds: Double) {
    self.bootID = bootID
    self.seconds = seconds
  }

  package static func now() -> AwakeMoment {
    AwakeMoment(bootID: SystemClocks().now().bootID, seconds: Double(SystemTime.monotonic) / 1e9)
  }
}

/// The owner's latest sign of life, as it is in the lock's file.
struct OwnerSign: Hashable {
  let process: Int32
  let moment: AwakeMoment
  /// The silence after which another process may end this one, in seconds.
  let silence: Int

  /// The length of a sign, which is always the same: a new one replaces the whole of the one before, in one write.
  private static let length = 256

  /// Reads the sign in a lock's file; `nil` if there is none, such as that of an earlier version.
  static func read(from file: borrowing OpenFile) throws(SystemError) -> OwnerSign? {
    let bytes = try file.read(at: 0, count: Self.length)
    guard let json = try? JSONObject(reading: bytes),
      let process = json["process"]?.integer.flatMap({ Int32(exactly: $0) }), process > 0,
      let bootID = json["boot"]?.string, let milliseconds = json["awakeMilliseconds"]?.integer,
      let silence = json["silenceSeconds"]?.integer.flatMap({ Int(exactly: $0) }), silence > 0
    else { return nil }
    return OwnerSign(
      process: process, moment: AwakeMoment(bootID: bootID, seconds: Double(milliseconds) / 1000), silence: silence)
  }

  var bytes: [UInt8] {
    let json: JSONObject = [
      "process": .number(JSONNumber(Int(process))), "boot": .string(moment.bootID),
      "awakeMilliseconds": .number(JSONNumber(Int64(clamping: moment.seconds * 1000))),
      "silenceSeconds": .number(JSONNumber(silence)),
    ]
    let text = Array("\(json)".utf8)
    return text + Array(repeating: UInt8(ascii: " "), count: max(Self.length - 1 - text.count, 0)) + [
      UInt8(ascii: "\n")
    ]
  }

  /// Returns for how many seconds the owner has been silent; `nil` if that is not too long, or if the moments cannot be
  /// compared.
  func silence(at now: AwakeMoment) -> Int? {
    guard now.bootID == moment.bootID else { return nil }
    let seconds = now.seconds - moment.seconds
    return seconds > Double(silence) ? Int(clamping: seconds) : nil
  }
}
