import Foundation
import Gatehouse
import GatehouseBase
import GatehouseSystem
import Glibc
import Testing

/// The file store trusts only the file's owner.
struct FileStoreSafetyTests {
  @Test func `the folder and the file are for their owner only, whatever the umask`() async throws {
    try await withTemporaryFolder { folder in
      let store = FileCredentialStore.file(folder + "/made/for it/session.json")
      _ = try await store.write(.sample(), if: .always)
      #expect(try (folder + "/made").mode == 0o700)
      #expect(try (folder + "/made/for it").mode == 0o700)
      for name in try (folder + "/made/for it").names { #expect(try (folder + "/made/for it/" + name).mode == 0o600) }
      #expect(try (folder + "/made/for it").names == ["session.json", "session.json.lock"])
    }
  }

  @Test func `loading makes nothing`() async throws {
    try await withTemporaryFolder { folder async throws in
      #expect(try await FileCredentialStore.file(folder + "/none/session").load() == nil)
      #expect(try await FileCredentialStore.file(folder + "/session").load() == nil)
      #expect(try await FileCredentialStore.file(folder + "/none/session").write(nil, if: .always) == .written)
      #expect(
        try await FileCredentialStore.file(folder + "/none/session").write(nil, if: .session("a")) == .conflict(nil))
      #expect(try folder.names == [])
    }
  }

  @Test(arguments: [0o640, 0o604, 0o620, 0o602, 0o610, 0o777])
  func `a file that others may open is refused, with what to run`(_ mode: Int) async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/it's"
      try await sign(in: path)
      try path.setMode(mode)
      try await expectRefusal(of: path, naming: "chmod 600 '\(folder)/it'\\''s'")
    }
  }

  @Test(arguments: [0o770, 0o707, 0o777])
  func `a folder that others may write to is refused, with what to run`(_ mode: Int) async throws {
    try await withTemporaryFolder { folder in
      try await sign(in: folder + "/session")
      try folder.setMode(mode)
      try await expectRefusal(of: folder + "/session", naming: "chmod 700 '\(folder)'")
    }
  }

  @Test func `a link in the file's place is refused and not followed`() async throws {
    try await withTemporaryFolder { folder in
      try await sign(in: folder + "/real")
      let before = try (folder + "/real").contents
      try FileManager.default.createSymbolicLink(atPath: folder + "/session", withDestinationPath: folder + "/real")
      try await expectRefusal(of: folder + "/session", naming: "symbolic link")
      #expect(try (folder + "/real").contents == before)
    }
  }

  @Test(arguments: ["/real", "/nowhere"])
  func `a link in the folder's place is refused and not followed`(_ target: String) async throws {
    try await withTemporaryFolder { folder in
      try await sign(in: folder + "/real/session")
      try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + target)
      try await expectRefusal(of: folder + "/link/session", naming: "symbolic link")
      try await expectRefusal(of: folder + "/link//session", naming: "symbolic link")
      #expect(try (folder + "/real").names == ["session", "session.lock"])
    }
  }

  @Test func `a link in the lock's place is refused, and what it points to is not made`() async throws {
    try await withTemporaryFolder { folder in
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/session.lock", withDestinationPath: folder + "/elsewhere")
      await expectError(.storeUnsafe) { try await sign(in: folder + "/session") }
      #expect(try folder.names == ["session.lock"])
    }
  }

  @Test func `a link above the folder is followed`() async throws {
    try await withTemporaryFolder { folder in
      try OpenFolder.make(folder + "/real")
      try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/real")
      try await sign(in: folder + "/link/made/session")
      #expect(try await FileCredentialStore.file(folder + "/real/made/session").load() == .sample())
    }
  }

  @Test(
    .enabled(if: geteuid() == 0, "only root can give a file away: run the tests as root to see this"),
    arguments: ["/session", ""])
  func `a file or folder of another user is refused, with what to run`(_ given: String) async throws {
    try await withTemporaryFolder { folder in
      try await sign(in: folder + "/session")
      // `unsafe`: the kernel reads the string up to its zero byte.
      try #require(unsafe chown(folder + given, 65534, 65534) == 0)
      try await expectRefusal(of: folder + "/session", naming: "chown 0 '\(folder + given)'")
    }
  }

  @Test func `what is no file is refused, and nobody waits for a pipe`() async throws {
    try await withTemporaryFolder { folder in
      try OpenFolder.make(folder + "/folder")
      try await expectRefusal(of: folder + "/folder", naming: "not a plain file")
      // `unsafe`: the kernel reads the string up to its zero byte.
      try #require(unsafe mkfifo(folder + "/pipe", 0o600) == 0)
      try await expectRefusal(of: folder + "/pipe", naming: "not a plain file")
    }
  }

  @Test(arguments: ["", "/", ".", "..", "a/..", "~/session", "~/.config/session", "nul\0byte/x", "x/nul\0byte"])
  func `a path that names no file is refused, and makes nothing`(_ path: String) async throws {
    let store = FileCredentialStore.file(path)
    await expectError(.invalidArgument) { try await store.load() }
    await expectError(.invalidArgument) { try await sign(in: path) }
  }

  // MARK: Scenes

  private func sign(in path: String) async throws {
    #expect(try await FileCredentialStore.file(path).write(.sample(), if: .always) == .written)
  }

  /// Every call is refused, and says what to do.
  private func expectRefusal(of path: String, naming advice: String) async throws {
    let store = FileCredentialStore.file(path)
    let errors = [
      await expectError(.storeUnsafe) { try await store.load() },
      await expectError(.storeUnsafe) { try await store.write(.sample("b"), if: .always) },
      await expectError(.storeUnsafe) { try await store.write(nil, if: .always) },
      await expectError(.storeUnsafe) { try await store.write(nil, if: .session("a")) },
    ]
    for error in errors { #expect(error?.message.contains(advice) == true, "\(error?.message ?? "")") }
  }
}
