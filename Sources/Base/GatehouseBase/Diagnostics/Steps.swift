#if DEBUG
  import Synchronization
#endif

/// Counts the work that input causes in this process: bytes that are read or hashed, names that are compared,
/// statements of the database. Tests compare what two inputs cost by it, because seconds depend on the machine.
///
/// A release build counts nothing.
package enum Steps {
  #if DEBUG
    private static let counted = Atomic<Int>(0)

    /// The steps of this process so far; `nil` in a release build.
    package static var total: Int? { counted.load(ordering: .relaxed) }

    /// Adds steps. Usable from any thread.
    package static func add(_ steps: Int) { counted.wrappingAdd(steps, ordering: .relaxed) }
  #else
    package static var total: Int? { nil }

    @inlinable package static func add(_ steps: @autoclosure () -> Int) {}
  #endif
}
