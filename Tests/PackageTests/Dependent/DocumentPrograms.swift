/// The programs of the documents, as targets.
struct DocumentPrograms: Sendable {
  /// The document, relative to the package's root.
  let path: String
  /// The targets' names, in the programs' order.
  let names: [String]
  /// What they import of ours.
  var products = DependentPackage.products
  /// Those that are tests, and not programs.
  var tests: Set<String> = []

  static let readme = DocumentPrograms(
    path: "README.md", names: ["ReadmeFirst", "ReadmeTool", "ReadmeServer", "ReadmeDaemon"])
  static let tokens = DocumentPrograms(
    path: "Docs/tokens.md",
    names: [
      "TokensVerify", "TokensSign", "TokensRead", "TokensRemote", "TokensCache", "TokensRotate", "TokensEncrypt",
      "TokensCertified", "TokensProof",
    ])
  static let deadlocks = DocumentPrograms(
    path: "Docs/deadlocks.md",
    names: [
      "DeadlocksFound", "DeadlocksMended", "DeadlocksItself", "DeadlocksPool", "DeadlocksStall", "DeadlocksSignal",
      "DeadlocksKnown",
      "DeadlocksPlain", "DeadlocksSchedules",
    ],
    products: ["GatehouseWaits", "GatehouseQueues", "GatehouseSchedules", "GatehouseDeadlocks", "GatehouseTesting"],
    tests: ["DeadlocksFound", "DeadlocksMended"])

  static let configuration = DocumentPrograms(
    path: "Docs/configuration.md", names: ["ConfigurationRead"],
    products: DependentPackage.products + ["GatehouseConfiguration"])

  static let rest = DocumentPrograms(
    path: "Docs/rest.md", names: ["RESTGoogle", "RESTEmulator"],
    products: DependentPackage.products + ["GatehouseREST"])

  static let admin = DocumentPrograms(
    path: "Docs/admin.md", names: ["AdminLocal", "AdminRemote", "AdminImport", "AdminProject"],
    products: DependentPackage.products + ["GatehouseREST", "GatehouseAdmin"])

  static let agent = DocumentPrograms(
    path: "Docs/agent.md", names: ["AgentFirst"], products: DependentPackage.products + ["GatehouseAgent"])

  static let all =
    readme.programs + tokens.programs + deadlocks.programs + configuration.programs + rest.programs
    + admin.programs + agent.programs

  /// The Swift code of the document.
  var blocks: [String] { blocks(of: "swift") }

  /// The document's fenced code blocks in one language.
  func blocks(of language: String) -> [String] {
    let text = (try? Repository.text(of: path)) ?? ""
    return text.matches(of: /^```(\w+)\n(.*?)^```$/.anchorsMatchLineEndings().dotMatchesNewlines())
      .filter { $0.1 == language }.map { String($0.2) }
  }

  private var programs: [DependentPackage.Program] {
    zip(names, blocks).map { name, text in
      var program = DependentPackage.Program(name: name, text: text, products: products)
      if tests.contains(name) {
        program.kind = .test
        program.file = "BankTests.swift"
      }
      return program
    }
  }
}
