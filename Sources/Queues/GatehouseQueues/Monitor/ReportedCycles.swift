import GatehouseWaits

/// The cycles that were reported, in each test and outside all tests.
struct ReportedCycles {
  private var classes: [UInt64: Set<[UInt32]>] = [:]
  private var cycles: [UInt64: [DependencyCycle]] = [:]

  /// Returns the cycle if none of the same classes was reported before, and no shorter one of the same waits. Cycles
  /// that only the main queue keeps apart are counted separately.
  mutating func new(_ cycle: DependencyCycle?) -> DependencyCycle? {
    guard let cycle,
      classes[cycle.scope, default: []].insert(cycle.classIDs + (cycle.isKeptApartByMain ? [0] : [])).inserted,
      cycles[cycle.scope]?.contains(where: cycle.contains) != true
    else { return nil }
    cycles[cycle.scope, default: []].append(cycle)
    return cycle
  }

  /// Forgets the cycles of a test, or those outside all tests.
  mutating func forget(scope: UInt64) {
    classes[scope] = nil
    cycles[scope] = nil
  }
}
