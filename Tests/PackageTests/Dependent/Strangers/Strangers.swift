/// One program for each protocol that a user may implement: it conforms to the protocol, hands the conformer to
/// Gatehouse, and uses it. Each program imports what its code names, and no more.
struct Stranger: Sendable {
  /// The name of its target.
  let name: String
  /// The products that it depends on: those that it imports.
  let products: [String]
  let text: String
  /// What it prints.
  let output: String

  static let all = facade + tokens + queues

  /// As its author builds it: members are visible only where their module is imported.
  static let settings: [DependentPackage.Setting] = [.swift6, .upcoming("MemberImportVisibility")]

  static let programs = all.map {
    DependentPackage.Program(
      name: $0.name, text: $0.text, file: "Program.swift", settings: settings, products: $0.products)
  }
}
