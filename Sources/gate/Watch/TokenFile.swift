import GatehouseBase
import GatehouseSystem

/// The file that a watch keeps a token in.
///
///     what happens                              then
///     the first token cannot be written         the path is wrong, most likely: an error
///     a later one cannot be written             said once; tried again after 1, 2, 4, … 30 seconds
///     the file was removed                      written again
///     another program changed the content       said once; the next token replaces it
///     it is not a plain file any more           said; never replaced, and tried again
///
/// The folder is never made: its owner, mode and file system are not this program's to choose.
final class TokenFile {
  private struct Failure {
    /// The system's reason, so that another one is said as well.
    let reason: SystemError.Reason
    var attempts: Int
    var looksLeft: Int
  }

  /// Absolute: a program that runs for months must not depend on where it was started.
  let path: String
  private var content: [UInt8] = []
  /// Whether the content is a token that was not in the file yet.
  private var isFresh = false
  /// Whether a token was written.
  private var hasBegun = false
  /// The file as it was written or found last.
  private var written: FileStatus?
  private var failure: Failure?

  private static let longestWait = 30

  init(_ path: String) { self.path = (try? CurrentProcess.absolute(path)) ?? path }

  /// Why the path does not name a file; `nil` when it does: nothing is there, a plain file, or a link to one of these.
  static func obstacle(in path: String) -> String? {
    if path.isEmpty { return "--file must name a file" }
    if path.utf8.starts(with: "~/".utf8) { return "--file: the shell did not replace the ~ in '\(path)'; write it out" }
    guard path.utf8.last != UInt8(ascii: "/"), !FileLocation(path).name.isEmpty, !path.hasSuffix("/.") else {
      return "--file must name a file, and '\(path)' names a folder"
    }
    if isSystemLink(path) { return "--file must name a plain file, and '\(path)' is a link of the system's" }
    // What cannot be looked at here has its error when it is written.
    switch (try? FileStatus.at(path, followingLink: true))?.kind {
    case nil, .file: return nil
    case .folder: return "--file must name a file, and '\(path)' is a folder"
    case .link, .other:
      return "--file must name a plain file, and '\(path)' is none; a device, pipe or socket is never replaced"
    }
  }

  /// Puts a fresh token into the file, in one step.
  ///
  /// - Returns: whether it is there; otherwise `look()` tries again.
  /// - Throws: when the first token cannot be written.
  func put(_ text: String) throws(AuthError) -> Bool {
    // Two watches of one file may hand out their tokens at the same time: then neither looks in between.
    if failure == nil { noticeChange() }
    content = Array(text.utf8)
    isFresh = true
    do throws(SystemError) { try write() } catch {
      guard hasBegun else { throw AuthError(.storeFailed, words(for: error)) }
      failed(error)
      return false
    }
    return takeFresh()
  }

  /// Looks whether the file is as it should be, and mends it.
  ///
  /// - Returns: whether the file is there again after a failure to write it.
  func look() -> Bool {
    guard hasBegun else { return false }
    if failure != nil { return retry() }
    let status: FileStatus?
    do throws(SystemError) { status = try FileStatus.at(path) } catch { status = nil }
    guard let status else {
      do throws(SystemError) {
        try write()
        StandardError.say("\(path) was removed, and is written again")
      } catch {
        failed(error)
      }
      return false
    }
    noticeChange(to: status)
    return false
  }

  /// Says once that another program changed the file. Its owner and mode are the user's to change.
  private func noticeChange(to status: FileStatus? = nil) {
    guard hasBegun, let status = status ?? (try? FileStatus.at(path)), status != written else { return }
    // A new file may have the number of one that was removed.
    let isOurs = written.map { status.isSame(as: $0) && status.kind == $0.kind } ?? true
    written = status
    guard !isOurs || !holdsContent else { return }
    let isReplaceable = (try? requireReplaceable()) != nil
    StandardError.say(
      "\(path) was changed by another program"
        + (isReplaceable ? "; the next token replaces it" : ", and is not a plain file; it is never replaced"))
  }

  private var holdsContent: Bool { (try? OpenFile(path).readAll(limit: content.count)) == content }

  /// Tries to write the file again, when it is time. Until now readers had no file, or an old token: they must hear of
  /// it, be the token fresh or not.
  private func retry() -> Bool {
    failure?.looksLeft -= 1
    guard let left = failure?.looksLeft, left <= 0 else { return false }
    do throws(SystemError) { try write() } catch {
      failed(error)
      return false
    }
    _ = takeFresh()
    return true
  }

  private func write() throws(SystemError) {
    let location = FileLocation(path)
    let folder = try OpenFolder(location.folder, followingLink: true)
    try? folder.removeAbandoned(of: location.name)
    written = try folder.replace(location.name, with: content) { () throws(SystemError) in try requireReplaceable() }
    hasBegun = true
    if failure != nil { StandardError.say("\(path) is written again") }
    failure = nil
  }

  /// Whether the path is a link in `/dev`. `/dev/stdout` may lead to a plain file, and every program needs the link.
  private static func isSystemLink(_ path: String) -> Bool {
    guard (try? FileStatus.at(path))?.kind == .link, let devices = try? FileStatus.at("/dev"),
      let folder = try? FileStatus.at(FileLocation(path).folder, followingLink: true)
    else { return false }
    return folder.isSame(as: devices)
  }

  /// Refuses a folder, a device, a pipe and a socket in the file's place, and a link to one.
  private func requireReplaceable() throws(SystemError) {
    guard let status = try FileStatus.at(path, followingLink: true) else { return }
    if Self.isSystemLink(path) { throw SystemError(call: "rename", path: path, number: .notPermitted) }
    if status.kind == .folder { throw SystemError(call: "rename", path: path, number: .isAFolder) }
    try status.require(.file, at: path)
  }

  private func failed(_ error: SystemError) {
    if failure?.reason != error.reason { StandardError.say("\(words(for: error)); the watch goes on and tries again") }
    let attempts = (failure?.attempts ?? 0) + 1
    failure = Failure(
      reason: error.reason, attempts: attempts, looksLeft: min(1 << min(attempts - 1, 5), Self.longestWait))
  }

  private func takeFresh() -> Bool {
    defer { isFresh = false }
    return isFresh
  }

  /// What is wrong, and what to do.
  private func words(for error: SystemError) -> String {
    let folder = FileLocation(path).folder
    let advice: String? =
      switch error.number {
      case .noSuchFile: "make the folder \(folder)"
      case .notAFolder: "\(folder) must be a folder"
      case .accessDenied, .notPermitted: "let this user write to the folder \(folder)"
      case .readOnly: "mount the file system for writing, or name a file elsewhere"
      case .diskFull, .quotaExceeded: "make room on the disk"
      case .isAFolder: "a folder is in the file's place: remove it"
      default: nil
      }
    return "\(path) could not be written: \(error)" + (advice.map { "; \($0)" } ?? "")
  }
}
