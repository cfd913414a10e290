import Gatehouse
import GatehouseBase
import GatehouseTesting
import HangGuard
import Testing

/// Many writers of one file: no change is lost, and no reader sees half a file.
struct FileStoreConcurrencyTests {
  @Test func `sixteen writers at once lose no change`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/session"
      _ = try await FileCredentialStore.file(path).write(.sample("a", generation: 0), if: .always)
      try await withThrowingTaskGroup { group in
        for _ in 0..<16 {
          // A store each: locks of separate open files keep each other out within one process as well.
          group.addTask {
            try await CredentialStoreContract.increment(FileCredentialStore.patient(path), session: "a", times: 5)
          }
        }
        try await group.waitForAll()
      }
      #expect(try await FileCredentialStore.file(path).load()?.generation == 80)
      #expect(try folder.names == ["session", "session.lock"])
    }
  }

  @Test func `processes that write at once lose no change`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/session"
      _ = try await FileCredentialStore.file(path).write(.sample("a", generation: 0), if: .always)
      await withTaskGroup { group in
        for _ in 0..<4 {
          group.addTask {
            await #expect(processExitsWith: .success) { [path = path as String] in
              endIfItHangs()
              try await CredentialStoreContract.increment(FileCredentialStore.patient(path), session: "a", times: 20)
            }
          }
        }
      }
      #expect(try await FileCredentialStore.file(path).load()?.generation == 80)
      #expect(try folder.names == ["session", "session.lock"])
    }
  }

  @Test func `a reader beside a writer always finds a whole session`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/session"
      _ = try await FileCredentialStore.file(path).write(.sample("a", generation: 0), if: .always)
      let writer = Task {
        try await CredentialStoreContract.increment(FileCredentialStore.patient(path), session: "a", times: 30)
      }
      let reader = FileCredentialStore.file(path)
      var last: UInt64 = 0
      while last < 30 {
        let generation = try #require(try await reader.load()?.generation)
        #expect(generation >= last)
        last = generation
      }
      try await writer.value
    }
  }

  @Test func `writers that make the folder at once agree on one session`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/made/here/session"
      try await withThrowingTaskGroup { group in
        for number in 0..<8 {
          group.addTask {
            let outcome = try await FileCredentialStore.patient(path).write(.sample("\(number)"), if: .always)
            #expect(outcome == .written)
          }
        }
        try await group.waitForAll()
      }
      #expect(try await FileCredentialStore.file(path).load() != nil)
      #expect(try (folder + "/made/here").names == ["session", "session.lock"])
    }
  }
}

extension FileCredentialStore {
  /// A store that waits for the lock as long as a hang may last.
  static func patient(_ path: String) -> FileCredentialStore {
    FileCredentialStore(path: path, patience: Double(Watchdog.seconds))
  }
}
