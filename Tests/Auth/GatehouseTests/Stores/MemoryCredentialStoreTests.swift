import Gatehouse
import GatehouseBase
import Testing

struct MemoryCredentialStoreTests {
  @Test func `each memory store is its own`() async throws {
    let (one, other): (MemoryCredentialStore, MemoryCredentialStore) = (.memory, .memory)
    _ = try await one.write(.sample(), if: .always)
    #expect(try await other.load() == nil)
  }

  @Test func `a memory store may begin with a session`() async throws {
    #expect(try await MemoryCredentialStore(.sample()).load() == .sample())
  }
}
