import Foundation
import Testing

extension Trait where Self == ConditionTrait {
  /// For tests that build the package a second time: `GATEHOUSE_RELEASE_CHECKS=1 scripts/test --filter '^PackageTests'`.
  static var releaseCheck: Self {
    .enabled(
      if: ProcessInfo.processInfo.environment["GATEHOUSE_RELEASE_CHECKS"] == "1",
      "builds the package a second time; GATEHOUSE_RELEASE_CHECKS=1 enables it")
  }
}
