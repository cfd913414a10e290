/// The programs of the documents, as executable targets.
struct DocumentPrograms: Sendable {
  /// The document, relative to the package's root.
  let path: String
  /// The targets' names, in the programs' order.
  let names: [String]

  static let readme = DocumentPrograms(
    path: "README.md", names: ["ReadmeFirst", "ReadmeTool", "ReadmeServer", "ReadmeDaemon"])
  static let tokens = DocumentPrograms(
    path: "Docs/tokens.md", names: ["TokensVerify", "TokensSign", "TokensRead", "TokensRemote", "TokensCache"])

  static let all = readme.programs + tokens.programs

  /// The Swift code of the document.
  var blocks: [String] {
    let text = (try? Repository.text(of: path)) ?? ""
    return text.matches(of: /^```swift\n(.*?)^```$/.anchorsMatchLineEndings().dotMatchesNewlines()).map { String($0.1) }
  }

  private var programs: [DependentPackage.Program] {
    zip(names, blocks).map { DependentPackage.Program(name: $0, text: $1) }
  }
}
