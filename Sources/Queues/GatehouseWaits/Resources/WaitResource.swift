/// A queue, lock or signal that is held or waited for.
package struct WaitResource: Sendable, Hashable {
  /// A number that no other resource has.
  package let instance: UInt64
  /// The number of its `ResourceClass`. The caller that builds the values assigns it.
  package let classID: UInt32
  /// Whether others may hold it at the same time: a concurrent queue without a barrier, a read lock.
  package let isShared: Bool

  package init(instance: UInt64, classID: UInt32, isShared: Bool = false) {
    self.instance = instance
    self.classID = classID
    self.isShared = isShared
  }
}

/// A resource that keeps waits apart: two waits that have a guard in common never happen at once.
package struct WaitGuard: Sendable, Hashable {
  package let instance: UInt64
  package let classID: UInt32

  package init(instance: UInt64, classID: UInt32) {
    self.instance = instance
    self.classID = classID
  }
}
