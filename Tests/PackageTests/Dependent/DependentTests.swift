import Testing

struct DependentTests {
  @Test(.releaseCheck, arguments: CatchPrograms.programs)
  func `each form of catch catches, in each place`(program: DependentPackage.Program) async throws {
    let outcome = try await DependentPackage.built.value.run(program.name, in: Repository.root)
    #expect(outcome.output == CatchPrograms.output && outcome.succeeded, "\(outcome)")
  }

  @Test(.releaseCheck) func `all programs build in a package that asks for a version, without a warning`() async throws
  {
    let log = try await DependentPackage.built.value.buildLog
    #expect(log.succeeded, "\(log)")
    // A file that another package forgot to declare is its owner's to declare.
    let warnings = log.description.split(separator: "\n").filter { line in
      line.contains("warning:") && !line.contains("'swift-distributed-tracing': found 1 file(s) which are unhandled")
    }
    #expect(warnings.isEmpty, "\(log)")
  }

  @Test(.releaseCheck, arguments: ["Swift5", "Swift6"])
  func `the public calls work in both language modes`(program: String) async throws {
    let package = try await DependentPackage.built.value
    let outcome = try await package.run(program, in: Repository.root)
    #expect(outcome.output == PublicCalls.output && outcome.succeeded, "\(outcome)")
  }
}

struct CallerProgramTests {
  @Test(.releaseCheck) func `an app whose default isolation is the main actor writes its completions plainly`()
    async throws
  {
    let outcome = try await DependentPackage.built.value.run("MainActorApp", in: Repository.root)
    #expect(outcome.output == CallerPrograms.mainActorOutput && outcome.succeeded, "\(outcome)")
  }

  @Test(.releaseCheck, arguments: ["Callers5", "Callers6"])
  func `a main-actor class, an actor and a plain function are each called back where they are`(
    program: String
  ) async throws {
    let outcome = try await DependentPackage.built.value.run(program, in: Repository.root)
    #expect(outcome.output == CallerPrograms.callersOutput && outcome.succeeded, "\(outcome)")
  }
}

struct ReadmeTests {
  @Test func `the README has four programs of at most seventeen lines`() throws {
    let blocks = DocumentPrograms.readme.blocks
    #expect(blocks.count == DocumentPrograms.readme.names.count)
    for block in blocks {
      #expect(block.split(separator: "\n", omittingEmptySubsequences: false).count <= 18, "\(block)")
    }
  }

  @Test(.releaseCheck) func `the first program welcomes its user, and welcomes him back`() async throws {
    let package = try await DependentPackage.built.value
    try await TemporaryFolder.with { folder in
      let first = try await package.run("ReadmeFirst", in: folder)
      #expect(first.succeeded && first.output.hasPrefix("Welcome, ada@example.com.\nA token of "), "\(first)")
      let second = try await package.run("ReadmeFirst", in: folder)
      #expect(second.succeeded && second.output.hasPrefix("Welcome back, ada@example.com.\nA token of "), "\(second)")
    }
  }

  @Test(.releaseCheck) func `the tool says why it refuses, and keeps its session`() async throws {
    let package = try await DependentPackage.built.value
    try await TemporaryFolder.with { folder in
      _ = try await package.run("ReadmeFirst", in: folder)
      // In a session of its own: the prompt must not reach the terminal of the one who runs the tests.
      func tool(_ input: String = "") async throws -> ChildProcess.Outcome {
        var tool = ChildProcess("/usr/bin/setsid", ["-w", try package.path(of: "ReadmeTool")])
        tool.folder = folder
        tool.input = input
        return try await tool.run()
      }
      let refused = try await tool("wrong\n")
      #expect(refused.output == "That is not the address and the password of an account.\n", "\(refused)")
      let accepted = try await tool("correct horse\n")
      #expect(accepted.output == "Signed in as ada@example.com.\n", "\(accepted)")
      let again = try await tool()
      #expect(again.output == "Signed in as ada@example.com.\n", "\(again)")
    }
  }

  @Test(.releaseCheck) func `the server is answered though nobody drains its main queue`() async throws {
    let package = try await DependentPackage.built.value
    try await TemporaryFolder.with { folder in
      let outcome = try await package.run("ReadmeServer", in: folder)
      #expect(outcome.succeeded && outcome.output.hasPrefix("The server is "), "\(outcome)")
    }
  }

  @Test(.releaseCheck) func `the daemon has a token, and ends in good order when it is told to`() async throws {
    let package = try await DependentPackage.built.value
    try await TemporaryFolder.with { folder in
      let outcome = try await package.run("ReadmeDaemon", in: folder, endsAfterFirstOutput: true)
      #expect(outcome.succeeded && outcome.output.hasPrefix("A fresh token of "), "\(outcome)")
    }
  }
}
