import Testing

/// A way to start work, or to wait, that goes past the doors of `GatehouseQueues`.
struct SideDoor: Sendable, CustomTestStringConvertible {
  let name: String
  let pattern: String
  /// Code that goes through it.
  let examples: [String]

  var testDescription: String { name }

  static let all = [
    SideDoor(
      name: "a bare task", pattern: #"\bTask\s*(<[^>]*>)?\s*[{(]"#, examples: ["Task { f() }", "Task(name: n) {"]),
    SideDoor(name: "a detached task", pattern: #"\.detached\b"#, examples: ["Task<Void, Never>.detached { }"]),
    // On the work queue itself an immediate task begins in place: it starts nothing elsewhere.
    SideDoor(
      name: "an immediate task elsewhere", pattern: #"\.immediate(Detached)?\b(?!\s*\{\s*@WorkQueue\b)"#,
      examples: ["Task.immediate { await f() }"]),
    SideDoor(
      name: "a child task", pattern: #"\basync\s+let\b|\.add(Immediate)?Task"#,
      examples: ["async let a = f()", "group.addTask {"]),
    SideDoor(name: "a concurrent function", pattern: #"@concurrent\b"#, examples: ["@concurrent func f() async"]),
    SideDoor(name: "a sleep", pattern: #"\bu?sleep\s*\("#, examples: ["try await Task.sleep(for: .seconds(1))"]),
    SideDoor(
      name: "a queue", pattern: #"\bDispatch(Queue|Source|Group|Semaphore|WorkItem)\b|\.global\s*\("#,
      examples: [#"let queue = DispatchQueue(label: "mine")"#, "CallbackQueue(.global())"]),
    SideDoor(
      name: "a bare continuation", pattern: #"\bwith(Checked|Unsafe)(Throwing)?Continuation\b"#,
      examples: ["await withCheckedContinuation { caller in"]),
    SideDoor(
      name: "a thread", pattern: #"\b(Thread|OperationQueue|RunLoop|Timer|pthread_\w+)\b"#,
      examples: ["Thread.detachNewThread { }"]),
  ]

  /// Files that name one without going through it.
  static let exceptions: [String: String] = [
    "Sources/Auth/Gatehouse/Auth/Configuration.swift": "the app's own callback queue is a setting",
    "Sources/Auth/Gatehouse/Stores/FileCredentialStore.swift": "the app's own callback queue is a setting",
    "Sources/Agent/GatehouseAgentClient/AgentClient.swift": "the app's own callback queue is a parameter",
    "Sources/Agent/GatehouseAgent/Agent/Configuration.swift": "the app's own callback queue is a setting",
    "Sources/Agent/GatehouseAgent/Sources/SessionSource.swift": "a queue for objects to be released on",
    "Sources/Auth/GatehouseAdmin/AdminAuth.swift": "the app's own callback queue is a parameter",
    "Sources/Provider/GatehouseLocal/LocalBackend.swift": "the app's own callback queue is a parameter",
    "Sources/Provider/GatehouseLocal/Backup/LocalBackend+Backup.swift": "the app's own callback queue is a parameter",
    "Sources/Tokens/GatehouseJOSE/RemoteKeys/RemoteKeySet.swift": "the app's own callback queue is a setting",
    "Sources/Tokens/GatehouseJOSE/RemoteKeys/RemoteTokenVerifier.swift": "the app's own callback queue is a setting",
    "Sources/Tokens/GatehouseJOSE/Requests/RequestAuthenticator.swift":
      "an async call outside the engine returns through Swift's own threads (decision 13)",
    "Sources/Tokens/GatehouseJOSE/DPoP/DPoPVerifier.swift":
      "an async call outside the engine returns through Swift's own threads (decision 13)",
    "Sources/Tokens/GatehouseJOSE/Replay/SingleUseTokenVerifier.swift":
      "an async call outside the engine returns through Swift's own threads (decision 13)",
    "Sources/Tokens/GatehouseJOSE/JWS/Signer.swift":
      "an async call outside the engine returns through Swift's own threads (decision 13)",
  ]
}

struct DoorsTests {
  static let modules = [
    "GatehouseCore", "Gatehouse", "GatehouseLocal", "IdentityToolkit", "GatehouseJOSE", "GatehouseCrypto",
    "GatehouseAgent", "GatehouseAgentClient", "GatehouseAgentServer",
  ]

  @Test(arguments: SideDoor.all)
  func `the engine starts work only through its doors`(door: SideDoor) throws {
    let sources = try Repository.sources(in: "Sources").filter { Self.modules.contains($0.module) }
    #expect(Set(sources.map(\.module)) == Set(Self.modules))
    let places = try sources.filter { SideDoor.exceptions[$0.path] == nil }.flatMap { try $0.places(of: door.pattern) }
    #expect(places == [])
  }

  @Test(arguments: SideDoor.all)
  func `a side door is found`(door: SideDoor) throws {
    for example in door.examples {
      #expect(try SourceFile(path: "", text: example).places(of: door.pattern).count == 1, "\(example)")
    }
  }

  @Test func `the doors themselves are not side doors`() throws {
    let text = """
      Task.immediate { @WorkQueue in await operation() }
      let task: Task<Void, Never>
      Background.run { try await store.load() }
      """
    for door in SideDoor.all { #expect(try SourceFile(path: "", text: text).places(of: door.pattern) == []) }
  }

  @Test func `every exception is needed`() throws {
    for path in SideDoor.exceptions.keys {
      let file = SourceFile(path: path, text: try Repository.text(of: path))
      let uses = try SideDoor.all.flatMap { try file.places(of: $0.pattern) }
      #expect(!uses.isEmpty, "\(path) goes through no side door any more")
    }
  }
}
