import Testing

/// Where the compiler is told to trust us. Strict memory safety makes every such place say `unsafe`.
struct UnsafeTests {
  static let pattern = #"\bunsafe\b|@unchecked\b|@safe\b|@preconcurrency\b"#

  /// Folders and files, each with its reason. What ends in a slash is a folder.
  static let allowed: [String: String] = [
    "Sources/Tokens/GatehouseCrypto/": "OpenSSL is C",
    "Sources/Queues/GatehouseQueues/Monitor/Recorder.swift": "the recorder of waits is C",
    "Sources/Provider/GatehouseLocal/Passwords/ForeignHashes.swift": "libcrypt and libargon2 are C",
    "Sources/Provider/GatehouseLocal/Accounts/StatementRow.swift": "a row is SQLite's, behind a pointer",
    "Sources/gate/QRCode/QRCode.swift": "libqrencode is C",
    "Sources/gate/QueueCheck/SwiftVariableName.swift": "the runtime's demangler is C",
    "Sources/gate/QueueCheck/RecordFile.swift": "the rows of a record are structures of C",
    "Sources/Queues/GatehouseQueues/UnwatchedLocks/": "a pthread mutex needs an address that stays",
    "Sources/Queues/GatehouseQueues/Locks/Lock.swift": "a mutex guards the value, which the compiler cannot see",
    "Sources/Queues/GatehouseQueues/Executor/BackgroundExecutor.swift": "an executor runs jobs that it does not own",
    "Sources/Queues/GatehouseQueues/Executor/SerialQueueExecutor.swift": "an executor runs jobs that it does not own",
    "Sources/Queues/GatehouseQueues/Background/PoolShare.swift": "an executor runs jobs that it does not own",
    "Sources/Queues/GatehouseQueues/Callbacks/CallbackQueue.swift": "an executor runs jobs that it does not own",
    "Sources/Queues/GatehouseQueues/WorkQueue/WorkQueue.swift": "a global actor has no `assumeIsolated`",
    "Sources/Base/GatehouseBase/Bytes/Base64URL.swift":
      "most of what reading a token costs, and three times that with checks",
    "Sources/Base/GatehouseBase/Bytes/SpanBytes.swift": "memchr and memcmp read through pointers",
    "Sources/Base/GatehouseBase/Workspaces.swift":
      "an atomic flag tells which thread has a slot, which the compiler cannot see",
    "Sources/Provider/GatehouseFirebase/App/FirebaseApp.swift":
      "closures of programs for Firebase capture objects of no actor: the compiler warns there, and does not refuse",
    "Sources/Provider/GatehouseFirebase/Completions/":
      "closures of programs for Firebase capture objects of no actor: the compiler warns there, and does not refuse",
    "Sources/Provider/GatehouseFirebase/Values/MultiFactorInfo.swift":
      "a class with subclasses cannot be checked, and has constants only",
    "Sources/Base/GatehouseSystem/": "the one way into the system",
    "Sources/Base/GatehouseBase/Errors/AuthError.swift":
      "`NSError` is `@unchecked Sendable`, and so are its subclasses",
    "Sources/Base/GatehouseBase/Errors/NumberedError.swift":
      "`NSError` is `@unchecked Sendable`, and so are its subclasses",
    "Sources/Base/GatehouseBase/Time/SystemClocks.swift": "clock_gettime writes through a pointer",
    "Sources/Queues/GatehouseSchedules/Scheduler/GlobalExecutor.swift":
      "the runtime's hook for running tasks has no name in Swift",
    "Sources/Queues/GatehouseSchedules/Exploration/CrashReporter.swift": "a handler of signals is a C function",
  ]

  static func places(in file: SourceFile) throws -> [String] {
    guard !allowed.keys.contains(where: { $0.hasSuffix("/") ? file.path.hasPrefix($0) : file.path == $0 }) else {
      return []
    }
    return try file.places(of: pattern)
  }

  @Test func `only listed files are trusted`() throws {
    let places = try Repository.sources(in: "Sources").flatMap(Self.places)
    #expect(places == [])
  }

  @Test(arguments: [
    "let a = unsafe f()", "final class A: @unchecked Sendable {}", "nonisolated(unsafe) var a = 1",
    "unowned(unsafe) let a: A", "@safe struct A {}", "@preconcurrency import A",
  ])
  func `a word that asks for trust is found`(line: String) throws {
    #expect(try Self.places(in: SourceFile(path: "Sources/Auth/GatehouseCore/New.swift", text: line)).count == 1)
    #expect(try Self.places(in: SourceFile(path: "Sources/Tokens/GatehouseCrypto/New.swift", text: line)) == [])
  }

  @Test func `a comment that speaks of it is not`() throws {
    let file = SourceFile(
      path: "Sources/Auth/GatehouseCore/New.swift", text: "let a = 1  // nothing unsafe\nlet unsafely = 2")
    #expect(try Self.places(in: file) == [])
  }

  @Test func `every listed place needs the trust`() throws {
    let sources = try Repository.sources(in: "Sources")
    for place in Self.allowed.keys {
      let files = sources.filter { $0.path.hasPrefix(place) }
      // A module that is not there yet is no fault; a file that needs no trust any more is.
      let uses = try files.flatMap { try $0.places(of: Self.pattern) }
      #expect(files.isEmpty || !uses.isEmpty, "\(place) asks for no trust any more")
    }
  }
}
