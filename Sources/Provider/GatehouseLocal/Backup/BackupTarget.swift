import GatehouseBase
import GatehouseSystem

/// The file that a backup or an export is written to.
struct BackupTarget: Sendable {
  private let file: String

  init(_ file: String) { self.file = file }

  /// Refuses a file in a provider's folder, this one or another, and an existing file that is not a regular file of
  /// this user.
  ///
  /// The folders themselves are compared, not their names, and links are followed.
  func check(outside home: HomeFolder) throws(AuthError) {
    if let status = try status(of: file) {
      guard status.kind == .file, status.isOurs else {
        throw refusal("is there already, and is not a plain file of yours")
      }
    }
    let provider = try status(of: home.path)
    var folder = FileLocation(file).folder
    var below: FileStatus?
    while true {
      guard let status = try status(of: folder, followingLink: true) else { throw refusal("is in no folder") }
      // The parent of the root folder is the root itself.
      if let below, below.isSame(as: status) { return }
      if let provider, provider.isSame(as: status) { throw inProvider }
      if try self.status(of: folder + "/" + HomeFolder.accountsName) != nil { throw inProvider }
      below = status
      folder += "/.."
    }
  }

  private func status(of path: String, followingLink: Bool = false) throws(AuthError) -> FileStatus? {
    try attempting("examine \(path)") { () throws(SystemError) in
      try FileStatus.at(path, followingLink: followingLink)
    }
  }

  private var inProvider: AuthError { refusal("is in a provider's own folder") }

  private func refusal(_ fault: String) -> AuthError {
    AuthError(.invalidArgument, "\(file) \(fault); name another file")
  }
}
