/// Resources that were made at one place in the program, under one name.
///
/// What is learned about one resource counts for all of its class, as in the kernel's lockdep.
package struct ResourceClass: Sendable, Hashable {
  /// The kind of a resource that a thread can wait for.
  package enum Kind: String, Sendable, Hashable {
    /// A serial or a concurrent queue. The block that runs on it holds it.
    case queue
    /// A lock. The thread that locked it holds it.
    case lock
    /// A serial task queue. The operation that runs on it holds it.
    case taskQueue = "task queue"
    /// A semaphore, a group, or another resource that one thread signals and another waits for.
    case signal
  }

  package let kind: Kind
  /// The label that the program gave it; empty if it has none.
  package let label: String
  /// The file and line where its resources are made; empty if unknown.
  package let site: String

  package init(_ kind: Kind, label: String, site: String) {
    self.kind = kind
    self.label = label
    self.site = site
  }

  /// The name of the class in reports and suppressions.
  package var name: String {
    let name = label.isEmpty ? site : label
    return "\(kind.rawValue) \(name.isEmpty ? "without a name" : name)"
  }
}
