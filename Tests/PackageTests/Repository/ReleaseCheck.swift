import Foundation
import Testing

extension Trait where Self == ConditionTrait {
  /// For tests that take minutes: `GATEHOUSE_RELEASE_CHECKS=1 scripts/test --filter '^PackageTests'`, as
  /// `scripts/release` runs them.
  static var releaseCheck: Self {
    .enabled(
      if: ProcessInfo.processInfo.environment["GATEHOUSE_RELEASE_CHECKS"] == "1",
      "takes minutes; GATEHOUSE_RELEASE_CHECKS=1 enables it")
  }
}
