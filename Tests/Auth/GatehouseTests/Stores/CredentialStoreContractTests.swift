import Gatehouse
import GatehouseBase
import GatehouseTesting
import Testing

struct CredentialStoreContractTests {
  @Test(arguments: CredentialStoreContract.all)
  func `the memory store keeps the contract`(_ check: CredentialStoreContract.Check) async throws {
    try await check.run { .memory }
  }

  @Test(arguments: CredentialStoreContract.all)
  func `the file store keeps the contract`(_ check: CredentialStoreContract.Check) async throws {
    try await withTemporaryFolder { folder in
      try await check.run { .file(folder + "/deep/er/session.json") }
    }
  }

  @Test(arguments: CredentialStoreContract.all)
  func `the encrypted file store keeps the contract`(_ check: CredentialStoreContract.Check) async throws {
    try await withTemporaryFolder { folder in
      let encryption = StoreEncryption(try .generate(), name: "ada")
      try await check.run { .file(folder + "/deep/er/session.json", encryption: encryption) }
    }
  }

  @Test(arguments: CredentialStoreContract.durable)
  func `the encrypted file store keeps the contract between runs`(
    _ check: CredentialStoreContract.DurableCheck
  ) async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/session.json"
      let encryption = StoreEncryption(try .generate(), name: "ada")
      try await check.run(
        open: { .file(path, encryption: encryption) }, damage: { try path.fill(path.contents.prefix(20)) })
    }
  }

  @Test(arguments: CredentialStoreContract.durable)
  func `the file store keeps the contract between runs`(_ check: CredentialStoreContract.DurableCheck) async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/session.json"
      try await check.run(open: { .file(path) }, damage: { try path.fill(path.contents.prefix(20)) })
    }
  }

  @Test(arguments: CredentialStoreContract.all)
  func `a faulty store without faults keeps the contract`(_ check: CredentialStoreContract.Check) async throws {
    try await check.run { FaultyStore() }
  }

  @Test(arguments: CredentialStoreContract.all + CredentialStoreContract.keepingUsers)
  func `stores that keep users keep the contract`(_ check: CredentialStoreContract.Check) async throws {
    try await check.run { MemoryCredentialStore(keepsUsers: true) }
    try await check.run { FaultyStore(MemoryCredentialStore(keepsUsers: true)) }
    try await withTemporaryFolder { folder in
      try await check.run { .file(folder + "/session.json", keepsUsers: true) }
      let encryption = StoreEncryption(try .generate(), name: "ada")
      try await check.run { .file(folder + "/sealed.json", encryption: encryption, keepsUsers: true) }
    }
  }

  // MARK: The suite can fail

  @Test func `every check of users notices a broken shelf`() async {
    var noticed: Set<String> = []
    for flaw in BrokenShelf.Flaw.allCases {
      let names = await violations { BrokenShelf(flaw) }
      #expect(!names.isEmpty, "\(flaw)")
      noticed.formUnion(names)
    }
    #expect(Set(CredentialStoreContract.keepingUsers.map(\.name)).subtracting(noticed) == [])
    #expect(await violations { BrokenShelf(nil) } == [])
  }

  private func violations(_ make: @Sendable () -> BrokenShelf) async -> [String] {
    var names: [String] = []
    for check in CredentialStoreContract.keepingUsers {
      do { try await check.run(make) } catch { names.append(check.name) }
    }
    return names
  }

  @Test(arguments: BrokenStore.Flaw.allCases)
  func `every broken store is noticed`(_ flaw: BrokenStore.Flaw) async {
    #expect(await !violations(flaw).isEmpty)
  }

  @Test func `every check notices a broken store`() async {
    var noticed: Set<String> = []
    for flaw in BrokenStore.Flaw.allCases { noticed.formUnion(await violations(flaw)) }
    let checks = CredentialStoreContract.all.map(\.name) + CredentialStoreContract.durable.map(\.name)
    #expect(Set(checks).count == checks.count)
    #expect(Set(checks).subtracting(noticed) == [])
  }

  @Test func `the store that the broken ones are made from is not broken`() async {
    #expect(await violations(nil) == [])
  }

  /// The names of the checks that a flaw breaks.
  private func violations(_ flaw: BrokenStore.Flaw?) async -> [String] {
    var names: [String] = []
    for check in CredentialStoreContract.all {
      do { try await check.run { BrokenStore(flaw) } } catch { names.append(check.name) }
    }
    for check in CredentialStoreContract.durable {
      let disk = BrokenStore.Disk()
      do { try await check.run(open: { BrokenStore(flaw, on: disk) }, damage: { disk.damage() }) } catch {
        names.append(check.name)
      }
    }
    return names
  }
}
