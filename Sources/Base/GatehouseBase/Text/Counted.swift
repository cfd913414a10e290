/// A count with its words, for people: `1 thread waits`, `2 threads wait`.
///
/// - Parameters:
///   - one: the words for one.
///   - many: those for every other number; by default with an `s` at their end.
package func counted(_ count: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
  "\(count) \(count == 1 ? one : many ?? one + "s")"
}
