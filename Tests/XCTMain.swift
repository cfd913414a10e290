import Foundation
import Testing

/// The tests' entry point. With one of our own, SwiftPM looks for no XCTest cases: it would need an index of all sources,
/// which costs a tenth of the build.
@main struct TestProgram {
  static func main() async {
    guard CommandLine.arguments.contains("swift-testing") else {
      FileHandle.standardError.write(
        Data("Run scripts/test, or swift test --enable-swift-testing --disable-xctest.\n".utf8))
      exit(1)
    }
    await Testing.__swiftPMEntryPoint() as Never
  }
}
