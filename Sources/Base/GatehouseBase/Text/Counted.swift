/// Returns a count with its words, for people: `1 thread waits`, `2 threads wait`.
///
/// - Parameters:
///   - one: the words for one.
///   - many: the words for every other number; defaults to `one` with an `s` appended.
package func counted(_ count: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
  "\(count) \(count == 1 ? one : many ?? one + "s")"
}
