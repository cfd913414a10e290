/// A value that has a place in memory, even if it is of no size, as `()` is.
///
/// A stored property of no size has its object's own address. The thread sanitizer takes an access to it for one to the
/// object, and reports a race with every thread that only calls a method.
struct LockedValue<Value> {
  var value: Value
  private let place: UInt8 = 0

  init(_ value: sending Value) { self.value = value }
}
