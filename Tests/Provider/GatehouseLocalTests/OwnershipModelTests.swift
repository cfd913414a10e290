import OwnershipModel
import Testing

/// The model of who owns what, as far as is cheap; `scripts/ownership` runs more of it.
struct OwnershipModelTests {
  @Test func `three persons make calls in random order, and whatever had to end has ended`() async throws {
    let report = try await OwnershipModel.explore(100)
    #expect(report.failure == nil, "\(report.failure?.description ?? "")")
    #expect(report.untried == [])
  }
}
