/// One promise, and the test of it.
package struct TourStop: Sendable {
  package let promise: String
  let show: @Sendable (Stage, inout Evidence) async throws -> Void

  package init(_ promise: String, show: @escaping @Sendable (Stage, inout Evidence) async throws -> Void) {
    self.promise = promise
    self.show = show
  }
}
