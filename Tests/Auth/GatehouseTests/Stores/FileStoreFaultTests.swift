import Foundation
import Gatehouse
import GatehouseBase
import GatehouseSystem
import GatehouseTesting
import Glibc
import HangGuard
import Testing

/// Full disks, missing rights, held locks, killed writers: the old session stays, and the error says why.
struct FileStoreFaultTests {
  /// A write that the system stops half-way, as on a full disk.
  @Test func `a write that fails half-way leaves the old session and no other file`() async throws {
    try await withTemporaryFolder { folder in
      let store = FileCredentialStore.file(folder + "/session")
      _ = try await store.write(.sample(), if: .always)
      await #expect(processExitsWith: .success) { [folder = folder as String] in
        endIfItHangs()
        try limitFileSize()
        let store = FileCredentialStore.file(folder + "/session")
        let error = await expectError(.storeFailed) { try await store.write(.sample("b"), if: .always) }
        #expect(error?.message.contains("File too large") == true)
      }
      #expect(try await store.load() == .sample())
      #expect(try folder.names == ["session", "session.lock"])
    }
  }

  @Test func `a sign-in over a damaged file that fails leaves the damaged file in its place`() async throws {
    try await withTemporaryFolder { folder in
      try (folder + "/session").fill("damaged")
      await #expect(processExitsWith: .success) { [folder = folder as String] in
        endIfItHangs()
        try limitFileSize()
        let store = FileCredentialStore.file(folder + "/session")
        await #expect(throws: AuthError.self) { try await store.write(.sample("b"), if: .always) }
      }
      #expect(try (folder + "/session").contents == Data("damaged".utf8))
      #expect(try folder.names == ["session", "session.lock"])
    }
  }

  /// Root may do everything, so that the child gives root up.
  @Test func `a folder that may not be written to keeps what it has, and the error says why`() async throws {
    try await withTemporaryFolder { folder in
      _ = try await FileCredentialStore.file(folder + "/session").write(.sample(), if: .always)
      try folder.setMode(0o500)
      defer { try? folder.setMode(0o700) }
      await #expect(processExitsWith: .success) { [folder = folder as String] in
        endIfItHangs()
        try giveUpRoot(owning: [folder, folder + "/session", folder + "/session.lock"])
        let store = FileCredentialStore.file(folder + "/session")
        for session in [StoredSession.sample("b"), nil] {
          let error = await expectError(.storeFailed) { try await store.write(session, if: .always) }
          #expect(error?.message.contains("Permission denied") == true)
        }
        #expect(try await store.load() == .sample())
      }
    }
  }

  @Test(arguments: ["/session", ""])
  func `what exists and may not be read is an error, not "nothing stored"`(_ closed: String) async throws {
    try await withTemporaryFolder { folder in
      _ = try await FileCredentialStore.file(folder + "/session").write(.sample(), if: .always)
      await #expect(processExitsWith: .success) { [folder = folder as String, closed = closed as String] in
        endIfItHangs()
        try giveUpRoot(owning: [folder, folder + "/session", folder + "/session.lock"])
        try (folder + closed).setMode(0)
        let store = FileCredentialStore.file(folder + "/session")
        await expectError(.storeUnreadable) { try await store.load() }
        await expectError(.storeUnreadable) { try await store.write(nil, if: .always) }
        try (folder + closed).setMode(closed.isEmpty ? 0o700 : 0o600)
        #expect(try await store.load() == .sample())
      }
    }
  }

  @Test func `a file in the folder's place is an error`() async throws {
    try await withTemporaryFolder { folder in
      try (folder + "/file").fill("text")
      let store = FileCredentialStore.file(folder + "/file/session")
      await expectError(.storeUnreadable) { try await store.load() }
      await #expect(throws: AuthError.self) { try await store.write(.sample(), if: .always) }
      #expect(try (folder + "/file").contents == Data("text".utf8))
    }
  }

  @Test func `a folder that cannot be made is an error with the system's reason`() async throws {
    let store = FileCredentialStore.file("/proc/gatehouse/session")
    #expect(try await store.load() == nil)
    let error = await expectError(.storeFailed) { try await store.write(.sample(), if: .always) }
    #expect(error?.message.contains("mkdir") == true)
  }

  // MARK: The lock

  @Test func `a writer that cannot have the lock gives up and says who has it; readers go on`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/session"
      let store = FileCredentialStore(path: path, patience: 0)
      _ = try await store.write(.sample(), if: .always)
      let other = try OpenFile(path + ".lock")
      #expect(try other.tryLock())
      let error = await expectError(.storeFailed) { try await store.write(.sample("b"), if: .always) }
      #expect(error?.message.contains("process \(getpid()) has held \(path).lock for 0.0 s") == true)
      #expect(try await store.load() == .sample())
      other.unlock()
      #expect(try await store.write(.sample("b"), if: .always) == .written)
    }
  }
}

/// From now on files of this process may grow to 100 bytes only, as on a full disk.
func limitFileSize() throws {
  var limit = rlimit(rlim_cur: 100, rlim_max: 100)
  signal(SIGXFSZ, SIG_IGN)
  // `unsafe`: the kernel reads one `rlimit`, and this is one.
  try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
}

/// Makes this process an ordinary user's that owns some files; nothing when it is one already.
func giveUpRoot(owning paths: [String]) throws {
  guard geteuid() == 0 else { return }
  for path in paths {
    // `unsafe`: the kernel reads the string up to its zero byte.
    try #require(unsafe chown(path, 65534, 65534) == 0)
  }
  try #require(setegid(65534) == 0)
  try #require(seteuid(65534) == 0)
}
