import Foundation
import Gatehouse
import GatehouseBase
import Glibc
import Testing

/// What is stored and cannot be used: an error, never "nothing stored", and never deleted.
struct FileStoreDamageTests {
  private static let document = """
    {"format":1,"session":{"generation":1,"profile":{"isEmailVerified":false,"providers":[],"uid":"uid-a"},\
    "session":"a","tokens":{"idToken":"SECRET-id-a","lifetime":3600,\
    "received":{"boot":1000,"bootID":"boot","wall":1800000000},"refreshToken":"SECRET-refresh-a"}}}
    """

  @Test func `format 1 is what it was on the first day`() async throws {
    try await withTemporaryFolder { folder in
      let store = FileCredentialStore.file(folder + "/session")
      _ = try await store.write(.sample(), if: .always)
      #expect(try String(decoding: (folder + "/session").contents, as: UTF8.self) == Self.document)
      #expect(try await store.load() == .sample())
    }
  }

  @Test func `a file cut short anywhere is damaged, and stays`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/session"
      let whole = Data(Self.document.utf8)
      for length in 0..<whole.count {
        try path.fill(whole.prefix(length))
        await expectError(.storeDamaged) { try await FileCredentialStore.file(path).load() }
      }
      #expect(try path.contents == whole.dropLast())
    }
  }

  @Test(arguments: [
    "null", "[]", "{}", "1", #""text""#, #"{"format":1}"#, #"{"format":1,"session":null}"#,
    #"{"format":1,"session":[]}"#,
    document + "x", document + document, "\0" + document, String(repeating: "\0", count: 300),
    document.replacing("\"format\":1", with: "\"format\":\"1\""),
    document.replacing("\"format\":1", with: "\"format\":0"),
    document.replacing("\"format\":1", with: "\"format\":-1"),
    document.replacing("\"format\":1", with: "\"format\":1.5"),
    document.replacing("\"generation\":1", with: "\"generation\":-1"),
    document.replacing("\"generation\":1", with: "\"generation\":18446744073709551616"),
    document.replacing("\"lifetime\":3600", with: "\"lifetime\":\"SECRET\""),
    document.replacing("\"lifetime\":3600", with: "\"lifetime\":1e999"),
    String(repeating: "[", count: 100_000), String(repeating: " ", count: 1 << 20) + document,
    #"{"format":3}"#, #"{"format":3,"key":"0123456789abcdef","sealed":""}"#,
    #"{"format":3,"key":"0123456789abcdeg","sealed":"\#(String(repeating: "A", count: 80))"}"#,
    #"{"format":3,"key":"0123456789abcdef","sealed":"\#(String(repeating: "A", count: 81))"}"#,
  ])
  func `a file that is not what was written is damaged, and stays`(_ text: String) async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/session"
      let store = FileCredentialStore.file(path)
      try path.fill(text)
      await expectError(.storeDamaged) { try await store.load() }
      await expectError(.storeDamaged) { try await store.write(nil, if: .session("a")) }
      await expectError(.storeDamaged) { try await store.write(.sample(), if: .sessionBefore("a", generation: 9)) }
      #expect(try path.contents == Data(text.utf8))
    }
  }

  @Test func `bytes that are no UTF-8 are damaged`() async throws {
    try await withTemporaryFolder { folder in
      var bytes = Data(Self.document.utf8)
      bytes[bytes.count - 10] = 0xFF
      try (folder + "/session").fill(bytes)
      await expectError(.storeDamaged) { try await FileCredentialStore.file(folder + "/session").load() }
    }
  }

  @Test func `a sign-in over a damaged file keeps it aside, and of many the newest three`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/session"
      let store = FileCredentialStore.file(path)
      for number in 1...5 {
        try path.fill("damaged \(number)")
        #expect(try await store.write(.sample(), if: .always) == .written)
        #expect(try await store.load() == .sample())
      }
      for number in 3...5 { #expect(try "\(path).damaged-\(number)".contents == Data("damaged \(number)".utf8)) }
      #expect(try folder.names.count == 5)
    }
  }

  @Test(arguments: [StoreCondition.always, .session("a")])
  func `erasing a session erases the damaged files that were kept aside`(_ condition: StoreCondition) async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/session"
      let store = FileCredentialStore.file(path)
      for _ in 1...2 {
        try path.fill("damaged")
        _ = try await store.write(.sample(), if: .always)
      }
      #expect(try await store.write(nil, if: .session("b")) == .conflict(.sample()))
      #expect(try folder.names.count == 4)
      #expect(try await store.write(nil, if: condition) == .written)
      #expect(try folder.names == ["session.lock"])
    }
  }

  @Test func `erasing whatever is there erases a damaged file`() async throws {
    try await withTemporaryFolder { folder in
      try (folder + "/session").fill("damaged")
      #expect(try await FileCredentialStore.file(folder + "/session").write(nil, if: .always) == .written)
      #expect(try folder.names == ["session.lock"])
    }
  }

  @Test func `what is damaged can be erased, and nothing else is`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/session"
      let store = FileCredentialStore.file(path)
      #expect(try await FileCredentialStore.file(folder + "/nowhere/session").eraseDamaged() == 0)
      #expect(try await store.eraseDamaged() == 0)
      #expect(try folder.names == [])

      try path.fill("damaged")
      _ = try await store.write(.sample(), if: .always)
      #expect(try await store.eraseDamaged() == 1)
      #expect(try await store.load() == .sample())

      try path.fill("damaged")
      _ = try await store.write(.sample(), if: .always)
      try path.fill("damaged again")
      // Names that only look like ours stay.
      let others = ["session.damaged-", "session.damaged-01", "session.damaged-1a", "session.damaged-2147483647"]
      for name in others { try "\(folder)/\(name)".fill("not ours") }
      #expect(try await store.eraseDamaged() == 2)
      #expect(try await store.load() == nil)
      #expect(try folder.names == others + ["session.lock"])

      // The engine refuses to go on from here, so that only this ends the session.
      _ = try await store.write(.sample(generation: UInt64(Int64.max) + 1), if: .always)
      #expect(try await store.eraseDamaged() == 1)
      #expect(try await store.load() == nil)

      try path.fill(#"{"format":4}"#)
      await expectError(.storeTooNew) { try await store.eraseDamaged() }
      #expect(try folder.names.contains("session"))
    }
  }

  /// The engine refuses a session that counts more changes than there can be.
  @Test func `a file with a damaged session that is set aside is kept aside, and can be erased`() async throws {
    try await withTemporaryFolder { folder in
      let store = FileCredentialStore(path: folder + "/session", keepsUsers: true), shelf = try #require(store.shelf)
      let odd = SessionShelf(current: .sample(), others: [.sample("b", generation: .max)])
      let whole = SessionShelf(current: .sample("c"), others: [.sample()])
      #expect(try await shelf.replace(SessionShelf(), by: odd))
      #expect(try await shelf.replace(odd, by: whole))
      #expect(try folder.names.contains("session.damaged-1"))
      #expect(try await store.eraseDamaged() == 1)
      #expect(try await shelf.replace(whole, by: odd))
      #expect(try await store.eraseDamaged() == 1)
      #expect(try await shelf.sessions() == SessionShelf())
    }
  }

  @Test func `the completion form erases damaged files, and refuses what the async form refuses`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/session"
      let store = FileCredentialStore.file(path)
      func erase() async -> Result<Int, AuthError> {
        await withCheckedContinuation { done in store.eraseDamaged { @Sendable in done.resume(returning: $0) } }
      }
      try path.fill("damaged")
      #expect(await erase() == .success(1))
      try path.fill(#"{"format":4}"#)
      let refused = await erase()
      guard case .failure(let error) = refused else { return #expect(Bool(false), "a later version was erased") }
      #expect(error.code == .storeTooNew)
    }
  }

  @Test func `a file of a later version is refused and never touched`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/session"
      let store = FileCredentialStore.file(path)
      let later = #"{"format":4,"sessions":["SECRET"]}"#
      try path.fill(later)
      await expectError(.storeTooNew) { try await store.load() }
      await expectError(.storeTooNew) { try await store.write(.sample(), if: .always) }
      await expectError(.storeTooNew) { try await store.write(nil, if: .always) }
      await expectError(.storeTooNew) { try await store.write(nil, if: .session("a")) }
      #expect(try path.contents == Data(later.utf8))
      #expect(try folder.names == ["session", "session.lock"])
    }
  }

  @Test func `a session too long to be read back is not written`() async throws {
    try await withTemporaryFolder { folder in
      let store = FileCredentialStore.file(folder + "/session")
      _ = try await store.write(.sample(), if: .always)
      var long = StoredSession.sample("b")
      long.tokens.idToken = Secret(String(repeating: "SECRET", count: 200_000))
      await expectError(.storeFailed) { try await store.write(long, if: .always) }
      long = .sample("b")
      long.tokens.lifetimeSeconds = .infinity
      await expectError(.storeFailed) { try await store.write(long, if: .always) }
      #expect(try await store.load() == .sample())
    }
  }
}
