extension WaitReport {
  /// The report of a knot: resources each of which leads to every other one.
  ///
  /// - Parameters:
  ///   - cut: one wait for each edge of the cut. Removing all of these edges ends all cycles.
  ///   - classIDs: the classes in the knot.
  package init(knot cut: [Dependency], isExact: Bool, of classIDs: Set<UInt32>, _ names: WaitNames) {
    let classes = names.classes(of: classIDs.union(cut.flatMap { [$0.from.classID, $0.to.classID] }))
    func named(_ classID: UInt32) -> ResourceClass { classes[classID] ?? names.resourceClass(classID) }
    let waits = cut.prefix(Self.maximumWaitsOfKnot).map { dependency in
      let from = named(dependency.from.classID), to = named(dependency.to.classID)
      return Wait(
        holding: from, heldAt: names.stack(dependency.heldAt), asking: to, askedAt: names.stack(dependency.waitedAt),
        thread: dependency.thread)
    }
    let resources = classIDs.map(named)
    func list(_ name: (ResourceClass) -> String) -> String {
      resources.map(name).sorted().prefix(3).joined(separator: ", ")
    }
    let count = classIDs.count
    let shown = waits.count < cut.count ? " The first \(waits.count) are shown." : ""
    self.init(
      .potentialDeadlock, name: "knot of \(count): \(list(\.lastingName)) …",
      title: "knot of \(count): \(list(\.name)) …",
      summary: """
        Each of \(count) resources was held while a thread waited for others of them, in every direction: there are \
        very many cycles. This run did not hang. \(isExact ? "At least" : "At most, as far as was searched,") \
        \(cut.count) kinds of waits must go so that no cycle is left.\(shown)
        """,
      waits: Array(waits),
      rule: """
        Decide on one order of these resources, and wait only forwards in it. The waits below are those that go \
        backwards in the order that needs the fewest changes\(isExact ? "" : " of those that were tried").
        """)
  }

  private static let maximumWaitsOfKnot = 8
}
