extension WaitReport {
  /// The report of a cycle in the graph.
  package init(cycle: DependencyCycle, _ names: WaitNames) {
    let waits = cycle.dependencies.map { dependency in
      let from = names.resourceClass(dependency.from.classID), to = names.resourceClass(dependency.to.classID)
      let signal: String? =
        if case .signal(let resource) = dependency.reason { names.resourceClass(resource.classID).name } else { nil }
      return Wait(
        held: from.name, heldSite: from.site, heldAt: names.stack(dependency.heldAt), asked: to.name,
        askedSite: to.site,
        askedAt: names.stack(dependency.waitedAt), thread: dependency.thread, signal: signal)
    }
    let held = waits.map(\.held)
    let first = held.indices.min { Array(held[$0].utf8).lexicographicallyPrecedes(Array(held[$1].utf8)) } ?? 0
    let name = (held[first...] + held[..<first] + [held[first]]).joined(separator: " → ")
    if cycle.dependencies.first?.reason == .selfWait {
      self.init(
        .waitForItself, name: name,
        summary: "A thread waited for \(held[0]), which it already held. That wait can never end.", waits: waits,
        rule: """
          Do not wait for a queue or a lock in code that may already hold it. Split the function: an outer function \
          that waits, for other callers, and an inner one that does not wait, for code that already holds it.
          """)
    } else if waits.count == 1 || Set(held).count == 1 {
      self.init(
        .potentialDeadlock, name: name,
        summary: """
          Resources of one class were each held while a thread waited for another of them. This run did not hang. If \
          these waits happen at once, none of them ends.
          """, waits: waits,
        rule: "Take resources of one class in a fixed order (for example by identifier), or only one at a time.")
    } else {
      self.init(
        .potentialDeadlock, name: name,
        summary: """
          \(waits.count) observed waits form a cycle. This run did not hang. If these waits happen at once, none of \
          them ends.
          """, waits: waits,
        rule: """
          Wait in one direction only. Decide which resource comes first. In the other direction do not wait: submit \
          the work asynchronously, or release the one resource before you wait for the other.
          """)
    }
  }
}
