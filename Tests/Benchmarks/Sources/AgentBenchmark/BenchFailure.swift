/// A measurement that could not be made.
struct BenchFailure: Error, CustomStringConvertible {
  let description: String
}
