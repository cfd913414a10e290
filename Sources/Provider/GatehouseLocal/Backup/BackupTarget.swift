import GatehouseBase

/// Where a backup is to be written.
struct BackupTarget: Sendable {
  private let file: String

  init(_ file: String) { self.file = file }

  /// Refuses a place in a provider's folder, this one or another, and the name of what is no plain file of ours.
  ///
  /// What links in the path lead to counts, by the folders themselves and not by their names.
  func check(outside home: HomeFolder) throws(AuthError) {
    if let status = try FileStatus(at: file) {
      guard status.isFile, status.isOurs else {
        throw refusal("is there already, and is not a plain file of yours")
      }
    }
    let provider = try FileStatus(at: home.path)
    var folder = HomeFile.folder(of: file)
    var below: FileStatus?
    while true {
      let status = try HomeFile(readingNamed: folder).status()
      // The folder above the root is the root.
      if let below, below.isSame(as: status) { return }
      if let provider, provider.isSame(as: status) { throw inProvider }
      if try HomeFile.isThere(folder + "/accounts.sqlite") { throw inProvider }
      below = status
      folder += "/.."
    }
  }

  private var inProvider: AuthError { refusal("is in a provider's own folder") }

  private func refusal(_ fault: String) -> AuthError {
    AuthError(.invalidArgument, "\(file) \(fault); name another file for the backup")
  }
}
