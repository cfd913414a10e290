import Foundation
import Testing

/// The tests' entry point. With one of our own, SwiftPM looks for no XCTest cases: it would need an index of all sources,
/// which costs a tenth of the build.
///
/// Not `async`: in release, Swift 6.3.1 gives the start of every asynchronous `main` the same name, and the linker
/// keeps one of them. The tests contain several programs, and one of those ran in place of the tests.
@main struct TestProgram {
  static func main() {
    guard CommandLine.arguments.contains("swift-testing") else {
      FileHandle.standardError.write(
        Data("Run scripts/test, or swift test --enable-swift-testing --disable-xctest.\n".utf8))
      exit(1)
    }
    // The caller may ignore signals, as nohup does. The programs that the tests start would ignore them, too.
    for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE] { signal(number, SIG_DFL) }
    Task(priority: .medium) { @MainActor in await Testing.__swiftPMEntryPoint() as Never }
    dispatchMain()
  }
}
