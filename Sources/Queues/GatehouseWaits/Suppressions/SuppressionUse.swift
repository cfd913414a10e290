package import Foundation
import GatehouseBase

/// The use of one entry of a list of known findings in one run.
package struct SuppressionUse: Sendable {
  /// Whether the entry had an effect.
  package enum State: String, Sendable {
    /// It suppressed a finding.
    case used
    /// No finding has its name.
    case unused
    /// It has expired. Findings with its name are reported.
    case expired
  }

  package let name: String
  package let state: State
  /// The name that the entry should have, if its name has line numbers.
  package let newName: String?
  /// The number of findings with its name.
  package let findings: Int

  /// Advice about the entry for the user, in one line; nil if nothing is wrong with it.
  package var advice: String? {
    let entry = "the suppression \"\(name.withoutHiddenCharacters)\""
    switch state {
    case .used: return newName.map { "\(entry) has line numbers; its name is now \"\($0)\"" }
    case .unused: return "\(entry) was not used: nothing of that name was found"
    case .expired:
      let next = findings == 0 ? "nothing of that name was found" : "what it names is reported again"
      return "\(entry) has expired; \(next)"
    }
  }
}

extension Suppressions {
  /// The use of each entry, in the order of the list.
  package func uses(in reports: [WaitReport], at now: Date) -> [SuppressionUse] {
    entries.map { entry in
      let named = reports.filter(entry.names)
      let newName = named.first.flatMap { entry.name.isExactly($0.name) ? nil : $0.name }
      let state: SuppressionUse.State = now >= entry.expires ? .expired : named.isEmpty ? .unused : .used
      return SuppressionUse(name: entry.name, state: state, newName: newName, findings: named.count)
    }
  }

  /// The entry that suppresses a report at a moment.
  package func entry(for report: WaitReport, at now: Date) -> Entry? {
    entries.first { $0.names(report) && now < $0.expires }
  }
}
