import GatehouseBase
import GatehouseLocal
import Testing

struct HomeKindTests {
  @Test(arguments: ["identities", "custom tokens"])
  func `an emulator's home is opened by no other provider, and the other way round`(what: String) async throws {
    let emulates: @Sendable (inout LocalOptions) -> Void = {
      if what == "identities" { $0.acceptsUnverifiedIdentities = true } else { $0.acceptsUnverifiedCustomTokens = true }
    }
    for (first, second) in [(emulates, { _ in }), ({ _ in }, emulates)] {
      let scene = Scene(first)
      try await scene.signUp()
      for _ in 1...2 {
        let error = await expectRefusal(.providerUnsafe) { try await scene.another(second).open() }
        #expect(error?.message.contains("emulator") == true)
      }
      try await scene.signIn()
      try await scene.backend.close()
      await expectRefusal(.providerUnsafe) { try await scene.another(second).open() }
      try await scene.another(first).open()
      try await scene.another { $0.opensAnyHome = true }.open()
    }
  }

  @Test func `a session of an emulator's home does not go on where its backup was restored`() async throws {
    let scene = Scene { $0.acceptsUnverifiedIdentities = true }
    try await scene.signUp()
    let (file, target) = (scene.folder.path + "/backup.tar", scene.folder.path + "/restored")
    try await scene.backend.backup(to: file)
    try await LocalBackend.restore(from: file, to: target)
    await expectRefusal(.providerUnsafe) { try await LocalBackend.cheap(target, scene.clock).open() }
  }

  @Test func `the owner's commands begin no emulator's home`() async throws {
    let scene = Scene { $0.opensAnyHome = true }
    try await scene.signUp()
    try await scene.another().open()
  }

  @Test func `only an emulator's accounts are not on the disk when they are acknowledged`() async throws {
    #expect(try await Scene().backend.isDurable())
    #expect(try await !Scene { $0.acceptsUnverifiedIdentities = true }.backend.isDurable())
  }
}
