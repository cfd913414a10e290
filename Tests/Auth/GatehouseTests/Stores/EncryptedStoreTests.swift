import Foundation
import Gatehouse
import GatehouseBase
import GatehouseTesting
import TestSupport
import Testing

/// A file store with a key.
struct EncryptedStoreTests {
  private let first: StoreKey
  private let second: StoreKey

  init() throws {
    first = try StoreKey(Array(repeating: 1, count: 32))
    second = try StoreKey(Array(repeating: 2, count: 32))
  }

  private func store(
    _ path: String, _ key: StoreKey? = nil, former: [StoreKey] = [], name: String = "ada"
  ) -> FileCredentialStore {
    .file(path, encryption: StoreEncryption(key ?? first, formerKeys: former, name: name), keepsUsers: true)
  }

  /// Whether any file of a folder has a secret, or anything else of a sample session. Base64 has no quotation marks, so
  /// it never looks like the name of a member.
  private static func isInPlain(_ folder: String) throws -> Bool {
    try folder.names.contains { name in
      let text = try String(decoding: "\(folder)/\(name)".contents, as: UTF8.self)
      return text.contains("SECRET") || text.contains(#""uid""#)
    }
  }

  @Test func `nothing of a session is in plain on the disk`() async throws {
    try await withTemporaryFolder { folder in
      let store = self.store(folder + "/session")
      #expect(try await store.write(.sample(), if: .always) == .written)
      let aside = SessionShelf(current: .sample("b"), others: [.sample("c"), .sample("a")])
      #expect(try await store.replace(store.sessions(), by: aside))
      #expect(try await store.sessions() == aside)
      #expect(try !Self.isInPlain(folder))
      #expect(try await self.store(folder + "/session").sessions() == aside)
      let text = try String(decoding: (folder + "/session").contents, as: UTF8.self)
      #expect(text.hasPrefix(#"{"format":3,"key":"\#(first.id)","sealed":""#))
      // The search finds what is in plain.
      _ = try await FileCredentialStore.file(folder + "/plain").write(.sample(), if: .always)
      #expect(try Self.isInPlain(folder))
    }
  }

  @Test func `each write has a nonce of its own`() async throws {
    try await withTemporaryFolder { folder in
      let store = self.store(folder + "/session")
      var sealed: Set<Data> = []
      for _ in 1...20 {
        _ = try await store.write(.sample(), if: .always)
        let content = try (folder + "/session").contents
        let start = try #require(content.range(of: Data(#""sealed":""#.utf8))).upperBound
        sealed.insert(content[start..<start + 16])  // the nonce, as base64
      }
      #expect(sealed.count == 20)
    }
  }

  /// A store that may not read a file throws an error that says which key is missing, and does nothing else.
  private static func isLeftAlone(
    _ path: String, by store: FileCredentialStore, naming words: [String],
    at location: SourceLocation = #_sourceLocation
  ) async throws {
    let content = try path.contents
    func refused<T>(_ body: () async throws -> T) async {
      let error = await expectError(.storeUnreadable, at: location, body)
      for word in words { #expect(error?.message.contains(word) == true, sourceLocation: location) }
    }
    await refused { try await store.load() }
    await refused { try await store.sessions() }
    await refused { try await store.write(.sample("b"), if: .always) }
    await refused { try await store.write(nil, if: .always) }
    await refused { try await store.write(nil, if: .session("a")) }
    await refused { try await store.replace(SessionShelf(), by: SessionShelf(current: .sample("b"))) }
    await refused { try await store.eraseDamaged() }
    let names = try #require(FileManager.default.enumerator(atPath: path + "/..")?.allObjects as? [String])
    #expect(try path.contents == content && !names.contains { $0.contains("damaged") }, sourceLocation: location)
  }

  @Test func `another key and no key are told, and the file stays`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/session"
      _ = try await self.store(path).write(.sample(), if: .always)
      try await Self.isLeftAlone(
        path, by: self.store(path, second), naming: [first.id, second.id, "remove the file"])
      try await Self.isLeftAlone(
        path, by: .file(path), naming: [first.id, "was given no key", "remove the file"])
      #expect(try await self.store(path).load() == .sample())
    }
  }

  @Test func `a sign-in does not replace a session under another key`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/session"
      _ = try await self.store(path).write(.sample(), if: .always)
      let auth = Auth(
        .init(
          backend: ScriptedBackend(), store: self.store(path, second), callbackQueue: .global(), timeouts: .patient))
      await expectError(.storeUnreadable) { try await auth.ready() }
      await expectError(.storeUnreadable) { try await auth.signInAnonymously() }
      try? await auth.close()
      #expect(try await self.store(path).load() == .sample())
    }
  }

  @Test func `a change of any byte is noticed, and one behind the key is damage`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/session"
      let store = self.store(path)
      _ = try await store.write(.sample(), if: .always)
      let whole = try path.contents
      let sealed = try #require(whole.range(of: Data(#","sealed""#.utf8))).lowerBound
      for position in whole.indices {
        for bit: UInt8 in [0x01, 0x20] {
          var changed = whole
          changed[position] ^= bit
          try path.fill(changed)
          let error = await #expect(throws: AuthError.self) { try await store.load() }
          let codes: [AuthError.Code] =
            position < sealed ? [.storeDamaged, .storeUnreadable, .storeTooNew] : [.storeDamaged]
          #expect(error.map { codes.contains($0.code) && !isLeaked(in: $0) } == true, "\(position)")
        }
      }
      for length in 0..<whole.count {
        try path.fill(whole.prefix(length))
        await expectError(.storeDamaged) { try await store.load() }
      }
      // As every damaged file: a sign-in keeps it aside.
      #expect(try await store.write(.sample("b"), if: .always) == .written)
      #expect(try await store.load() == .sample("b"))
      #expect(try folder.names.contains("session.damaged-1"))
    }
  }

  @Test func `files of two accounts cannot be swapped, and a folder can be moved`() async throws {
    try await withTemporaryFolder { folder in
      let (ada, bob) = (folder + "/one/session", folder + "/two/session")
      _ = try await self.store(ada, name: "ada").write(.sample("a"), if: .always)
      _ = try await self.store(bob, name: "bob").write(.sample("b"), if: .always)
      let (content, other) = (try ada.contents, try bob.contents)
      try ada.fill(other)
      try bob.fill(content)
      await expectError(.storeDamaged) { try await self.store(ada, name: "ada").load() }
      let error = await expectError(.storeDamaged) { try await self.store(bob, name: "bob").load() }
      #expect(error?.message.contains("for bob") == true)
      try ada.fill(content)
      try FileManager.default.moveItem(atPath: folder + "/one", toPath: folder + "/three")
      #expect(try await self.store(folder + "/three/session", name: "ada").load() == .sample("a"))
    }
  }

  @Test func `a file in plain is read, and the next write encrypts it`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/session"
      _ = try await FileCredentialStore.file(path).write(.sample(), if: .always)
      let store = self.store(path)
      #expect(try await store.load() == .sample())
      #expect(try Self.isInPlain(folder))
      let next = StoredSession.sample(generation: 2)
      #expect(try await store.write(next, if: .sessionBefore("a", generation: 1)) == .conflict(.sample()))
      #expect(try await store.write(next, if: .sessionBefore("a", generation: 2)) == .written)
      #expect(try await store.load() == next)
      #expect(try !Self.isInPlain(folder))
    }
  }

  @Test func `a file under a former key is read, and the next write uses the new one`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/session"
      _ = try await self.store(path).write(.sample(), if: .always)
      let both = try self.store(path, second, former: [StoreKey(Array(repeating: 3, count: 32)), first])
      #expect(try await both.load() == .sample())
      await expectError(.storeUnreadable) { try await self.store(path, second).load() }
      _ = try await both.write(.sample(generation: 2), if: .session("a"))
      #expect(try await self.store(path, second).load() == .sample(generation: 2))
      await expectError(.storeUnreadable) { try await self.store(path).load() }
    }
  }

  @Test func `of two programs one compares with what the other has written, and hears of it`() async throws {
    try await withTemporaryFolder { folder in
      let (one, other) = (self.store(folder + "/session"), self.store(folder + "/session"))
      _ = try await one.write(.sample(), if: .always)
      let (changes, change) = AsyncStream<Void>.makeStream()
      let watch = try #require(try await other.watch { change.yield(()) })
      _ = try await one.write(.sample(generation: 2), if: .sessionBefore("a", generation: 2))
      for await _ in changes { break }
      watch.end()
      #expect(
        try await other.write(.sample(generation: 2), if: .sessionBefore("a", generation: 2))
          == .conflict(.sample(generation: 2)))
      #expect(try await !other.replace(SessionShelf(current: .sample()), by: SessionShelf()))
      let lock = try await one.lock()
      await expectError(.storeInUse) { try await other.lock() }
      lock?.release()
    }
  }

  @Test func `the longest session that can be stored in plain can be encrypted`() async throws {
    try await withTemporaryFolder { folder in
      var long = StoredSession.sample()
      long.tokens.idToken = Secret(String(repeating: "A", count: (1 << 20) - 1000))
      let store = self.store(folder + "/session")
      _ = try await store.write(long, if: .always)
      #expect(try await store.load() == long)
    }
  }
}
