import GatehouseBase
import GatehouseSystem

/// The file in which a watch, or the daemon, keeps a token.
///
///     what happens                              then
///     the first token cannot be written         the path is probably wrong: an error, but for a patient file
///     a later one cannot be written             reported once; tried again after 1, 2, 4, … 30 seconds
///     the file was removed                      written again
///     another program changed the content       reported once; the next token replaces it
///     it is not a plain file any more           reported; never replaced, and tried again
///     its token must not come back              left alone until the next token
///
/// The folder is never created: this program does not choose its owner, mode and file system.
final class TokenFile {
  private struct Failure {
    /// The system's reason, so that a failure for another reason is reported too.
    let reason: SystemError.Reason
    var attempts: Int
    var looksLeft: Int
  }

  /// The absolute path: a program that runs for months must not depend on the folder in which it was started.
  let path: String
  private var content: [UInt8] = []
  /// Whether the content is a token that has not been in the file yet.
  private var isFresh = false
  /// Whether a token has been written.
  private var hasBegun = false
  /// The status of the file when it was last written or found.
  private var written: FileStatus?
  private var failure: Failure?

  private static let longestWait = 30

  private let isPatient: Bool

  /// - Parameter isPatient: whether the first token may wait for its file, too.
  init(_ path: String, isPatient: Bool = false) {
    self.path = (try? CurrentProcess.absolute(path)) ?? path
    self.isPatient = isPatient
  }

  /// Returns why the path cannot be the token's file; `nil` if it can: nothing is there, or a plain file, or a link to
  /// either.
  static func obstacle(in path: String) -> String? {
    if path.isEmpty { return "--file must name a file" }
    if path.utf8.starts(with: "~/".utf8) { return "--file: the shell did not replace the ~ in '\(path)'; write it out" }
    guard path.utf8.last != UInt8(ascii: "/"), !FileLocation(path).name.isEmpty, !path.hasSuffix("/.") else {
      return "--file must name a file, and '\(path)' names a folder"
    }
    if isSystemLink(path) { return "--file must name a plain file, and '\(path)' is a link of the system's" }
    // If the file cannot be examined here, the error appears when it is written.
    switch (try? FileStatus.at(path, followingLink: true))?.kind {
    case nil, .file: return nil
    case .folder: return "--file must name a file, and '\(path)' is a folder"
    case .link, .other:
      return "--file must name a plain file, and '\(path)' is none; a device, pipe or socket is never replaced"
    }
  }

  /// Puts a fresh token into the file, in one step.
  ///
  /// - Returns: whether the token is in the file. If not, `look()` tries again.
  /// - Throws: if the first token cannot be written, and the file is not patient.
  func put(_ text: String) throws(AuthError) -> Bool {
    // Two watches that use the same file may hand out their tokens at the same time, and then neither looks in between.
    if failure == nil { noticeChange() }
    content = Array(text.utf8)
    isFresh = true
    do throws(SystemError) { try write() } catch {
      guard hasBegun || isPatient else { throw AuthError(.storeFailed, words(for: error)) }
      failed(error)
      return false
    }
    return takeFresh()
  }

  /// Leaves the file alone until the next token is put into it.
  func forget() { (content, isFresh, hasBegun, written, failure) = ([], false, false, nil, nil) }

  /// Checks whether the file is as it should be, and repairs it.
  ///
  /// - Returns: whether the file is there again after a failure to write it.
  func look() -> Bool {
    if failure != nil { return retry() }
    guard hasBegun else { return false }
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

  /// Reports once that another program has changed the file. The user may change its owner and mode.
  private func noticeChange(to status: FileStatus? = nil) {
    guard hasBegun, let status = status ?? (try? FileStatus.at(path)), status != written else { return }
    // A new file may have the inode number of a file that was removed.
    let isOurs = written.map { status.isSame(as: $0) && status.kind == $0.kind } ?? true
    written = status
    guard !isOurs || !holdsContent else { return }
    let isReplaceable = (try? requireReplaceable()) != nil
    StandardError.say(
      "\(path) was changed by another program"
        + (isReplaceable ? "; the next token replaces it" : ", and is not a plain file; it is never replaced"))
  }

  private var holdsContent: Bool { (try? OpenFile(path).readAll(limit: content.count)) == content }

  /// Tries to write the file again, if it is time for that. Until now readers had no file or an old token, so they must
  /// be told, whether or not the token is fresh.
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

  /// Refuses a folder, a device, a pipe or a socket in the file's place, and a link to one of these.
  private func requireReplaceable() throws(SystemError) {
    guard let status = try FileStatus.at(path, followingLink: true) else { return }
    if Self.isSystemLink(path) { throw SystemError(call: "rename", path: path, number: .notPermitted) }
    if status.kind == .folder { throw SystemError(call: "rename", path: path, number: .isAFolder) }
    try status.require(.file, at: path)
  }

  private func failed(_ error: SystemError) {
    if failure?.reason != error.reason {
      StandardError.say(
        "\(words(for: error)); \(isPatient ? "it is tried again" : "the watch goes on and tries again")")
    }
    let attempts = (failure?.attempts ?? 0) + 1
    failure = Failure(
      reason: error.reason, attempts: attempts, looksLeft: min(1 << min(attempts - 1, 5), Self.longestWait))
  }

  private func takeFresh() -> Bool {
    defer { isFresh = false }
    return isFresh
  }

  /// Says what is wrong, and what to do.
  private func words(for error: SystemError) -> String {
    let folder = FileLocation(path).folder
    let advice: String? =
      switch error.number {
      case .noSuchFile where (try? FileStatus.at(folder, followingLink: true)) != nil:
        "the folder \(folder) takes no files; name a file elsewhere"
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
