import Gatehouse
import GatehouseBase
import GatehouseTesting
import Testing

struct FaultyStoreTests {
  private let broken = AuthError(.storeFailed, "the disk is on fire")
  private let closed = AuthError(.storeUnreadable, "the drawer is locked")

  @Test func `scripted failures come in their order, and only to their operation`() async throws {
    let store = FaultyStore(MemoryCredentialStore(.sample()))
    store.fail(.load, with: broken)
    store.fail(.load, with: closed, times: 2)
    #expect(try await store.write(.sample("b"), if: .always) == .written)
    await #expect(throws: broken) { try await store.load() }
    await #expect(throws: closed) { try await store.load() }
    await #expect(throws: closed) { try await store.load() }
    #expect(try await store.load() == .sample("b"))
  }

  @Test func `a write that fails changes nothing`() async throws {
    let store = FaultyStore()
    store.fail(.write, with: broken)
    await #expect(throws: broken) { try await store.write(.sample(), if: .always) }
    #expect(try await store.load() == nil)
  }

  @Test func `a held call waits until it is released, and its operation only`() async throws {
    let store = FaultyStore()
    store.hold(.write)
    let write = Task { try await store.write(.sample(), if: .always) }
    await store.waitUntilHeld(.write)
    #expect(try await store.load() == nil)
    write.cancel()
    store.release(.write)
    #expect(try await write.value == .written)
    #expect(try await store.load() == .sample())
  }

  @Test func `a failure scripted while a call is held is that call's`() async throws {
    let store = FaultyStore()
    store.hold(.load)
    let load = Task { try await store.load() }
    await store.waitUntilHeld(.load)
    store.fail(.load, with: broken)
    store.release(.load)
    await #expect(throws: broken) { try await load.value }
    #expect(try await store.load() == nil)
  }

  @Test func `calls are remembered as they were made`() async throws {
    let store = FaultyStore()
    store.fail(.write, with: broken)
    _ = try await store.load()
    _ = try? await store.write(.sample(), if: .session("a"))
    #expect(store.calls == [.load, .write(.sample(), if: .session("a"))])
    #expect(store.calls.map(\.operation) == [.load, .write])
  }

  @Test func `waiting for several held calls sees them all`() async throws {
    let store = FaultyStore()
    store.hold(.load)
    let loads = (0..<10).map { _ in Task { try await store.load() } }
    await store.waitUntilHeld(.load, calls: 10)
    store.release(.load)
    for load in loads { _ = try await load.value }
    #expect(store.calls.count == 10)
  }
}
