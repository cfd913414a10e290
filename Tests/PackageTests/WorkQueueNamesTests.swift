import Testing

/// The files that may name the work queue. No other code runs on it or reads its state.
struct WorkQueueNamesTests {
  /// Whose business it is.
  static let folders = [
    "Sources/Queues/GatehouseQueues/", "Sources/Auth/GatehouseCore/", "Sources/Agent/GatehouseAgent/Engine/",
    "Tests/Queues/GatehouseQueuesTests/",
    "Tests/Auth/GatehouseTests/Threading/",
  ]

  /// Files elsewhere, each with its reason.
  static let files: [String: String] = [
    "Sources/Agent/GatehouseAgent/Agent/Agent.swift": "the wrappers that every public call uses",
    "Sources/Auth/Gatehouse/Auth/Auth.swift": "the wrapper that every public synchronous call uses",
    "Sources/Auth/Gatehouse/Completion.swift": "the wrapper that every public call with a completion uses",
    "Tests/Auth/GatehouseTests/Session/SignInGuardTests.swift": "suspends it, so that two calls stand on it",
    "Sources/Auth/Gatehouse/Listeners/Auth+Listeners.swift": "a listener of ours, which calls no code of the app",
    "Sources/Auth/Gatehouse/Listeners/UserChanges.swift":
      "the end of a stream unregisters, on whatever thread it comes",
    "Sources/Auth/GatehouseAdmin/AdminAuth.swift": "the wrapper that every public call uses",
    "Sources/Auth/GatehouseAdmin/Credentials/AccessTokens.swift": "the state of an access token's fetches",
    "Sources/Auth/GatehouseAdmin/Projects/AdminEnvironment.swift": "a call's deadline is decided there",
    "Sources/Provider/GatehouseLocal/Parts/Deliveries.swift": "a message's deadline is decided there",
    "Sources/Provider/GatehouseLocal/Parts/DeliveryDelays.swift": "messages that wait for their time are known there",
    "Sources/Provider/GatehouseLocal/Parts/Accounts.swift": "a warning of the provider's goes to the deliveries",
    "Sources/Provider/GatehouseLocal/Opening/ProviderAccess.swift": "what is known of a provider changes there",
    "Sources/Provider/GatehouseLocal/Opening/WorkQueueCalls.swift": "the wrapper that every async call uses",
    "Tests/Provider/GatehouseLocalTests/ClosingTests.swift": "holds it, and asks whether calls need it",
    "Tests/Provider/GatehouseLocalTests/ReleaseTests.swift": "asks whether objects die there",
    "Sources/Tokens/GatehouseJOSE/RemoteKeys/Fetching.swift": "the state of a key set's fetches",
    "Sources/Tokens/GatehouseJOSE/RemoteKeys/RemoteKeySet.swift": "a synchronous read of that state",
    "Sources/Tokens/GatehouseJOSE/RemoteKeys/RemoteKeySet+Fetch.swift": "a fetch begins and ends there",
    "Tests/Tokens/GatehouseJOSETests/RemoteKeys/FetchQueueTests.swift": "holds it, so that no fetch begins",
    "Sources/Demo/GatehouseDemo/Stops/CallInPlaceStop.swift":
      "the tour shows what a call from the queue itself comes to",
    "Tests/PackageTests/WorkQueueNamesTests.swift": "this test",
    "Tests/PackageTests/DoorsTests.swift": "reads sources",
    "Tests/PackageTests/UnsafeTests.swift": "names its file",
    "Tests/PackageTests/ForbiddenPrograms.swift": "programs that the compiler must refuse",
  ]

  static func strangers(in sources: [SourceFile]) throws -> [String] {
    try sources.filter { file in
      try files[file.path] == nil && !folders.contains { file.path.hasPrefix($0) } && file.names("WorkQueue")
    }
    .map(\.path)
  }

  @Test func `only listed files name the work queue`() throws {
    let sources = try Repository.sources(in: "Sources") + Repository.sources(in: "Tests")
    #expect(sources.count > 60)
    let strangers = try Self.strangers(in: sources)
    #expect(strangers == [])
  }

  @Test func `a stranger is found`() throws {
    let stranger = SourceFile(
      path: "Sources/Provider/GatehouseLocal/New.swift", text: "func f() { WorkQueue.async { } }")
    #expect(try Self.strangers(in: [stranger]) == [stranger.path])
    let innocent = SourceFile(path: stranger.path, text: "// WorkQueue\nlet myWorkQueue = 1")
    #expect(try Self.strangers(in: [innocent]) == [])
  }

  @Test func `every listed file needs its place`() throws {
    for path in Self.files.keys where Repository.exists(path) {
      #expect(try SourceFile(path: path, text: try Repository.text(of: path)).names("WorkQueue"), "\(path)")
    }
  }
}
