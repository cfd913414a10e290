import Foundation

/// The working tree's tracked files, as a repository with the tag 1.0.0.
struct PublishedVersion: Sendable {
  let path: String

  /// Makes the repository, or finds it: its path tells its content, so that nothing is taken for what it was before.
  static func make(in folder: String) async throws -> Self {
    let files = FileManager.default
    let draft = "\(folder)/draft-\(UUID().uuidString)"
    defer { try? files.removeItem(atPath: draft) }
    for path in try await git(["ls-files", "-z"], in: Repository.root).split(separator: "\0").map(String.init)
    where Repository.exists(path) {
      let copy = URL(filePath: "\(draft)/\(path)")
      try files.createDirectory(at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
      try files.copyItem(atPath: "\(Repository.root)/\(path)", toPath: copy.path)
    }
    try await git(["init", "--quiet"], in: draft)
    try await git(["add", "--all", "--force"], in: draft)
    let tree = try await git(["write-tree"], in: draft).prefix(12)
    try await git(["commit", "--quiet", "--no-verify", "--message", "Version 1.0.0"], in: draft)
    try await git(["tag", "1.0.0"], in: draft)

    let version = Self(path: "\(folder)/\(tree)/gatehouse")
    if !files.fileExists(atPath: version.path) {
      for old in try files.contentsOfDirectory(atPath: folder) where "\(folder)/\(old)" != draft {
        try files.removeItem(atPath: "\(folder)/\(old)")
      }
      try files.createDirectory(atPath: "\(folder)/\(tree)", withIntermediateDirectories: true)
      try files.moveItem(atPath: draft, toPath: version.path)
    }
    return version
  }

  @discardableResult
  private static func git(_ arguments: [String], in folder: String) async throws -> String {
    let settings = [
      "user.name=Gatehouse", "user.email=tests@gatehouse.invalid", "commit.gpgSign=false", "tag.gpgSign=false",
      "core.hooksPath=/dev/null", "core.autocrlf=false", "safe.directory=*",
    ]
    // Run by a hook, git tells its children which repository to work on: not on that one.
    let strangers = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"].flatMap { ["-u", $0] }
    var command = ChildProcess("env", strangers + ["git"] + settings.flatMap { ["-c", $0] } + arguments)
    command.folder = folder
    let outcome = try await command.run()
    guard outcome.succeeded else { throw Failure(description: "git \(arguments.joined(separator: " ")): \(outcome)") }
    return outcome.output
  }
}
