/// The programs of the README, as executable targets, in their order.
enum ReadmePrograms {
  static let names = ["ReadmeFirst", "ReadmeTool", "ReadmeServer", "ReadmeDaemon"]

  static let all: [DependentPackage.Program] = {
    let text = (try? Repository.text(of: "README.md")) ?? ""
    return zip(names, blocks(in: text)).map { DependentPackage.Program(name: $0, text: $1) }
  }()

  /// The Swift code of a Markdown text.
  static func blocks(in text: String) -> [String] {
    text.matches(of: /^```swift\n(.*?)^```$/.anchorsMatchLineEndings().dotMatchesNewlines()).map { String($0.1) }
  }
}
