import Glibc

/// The memory that the process has freed and the allocator keeps.
package enum FreeMemory {
  /// Gives whole free pages back to the system. Others may allocate meanwhile; some of them wait for milliseconds. Does
  /// nothing under an allocator that cannot.
  package static func giveBack() {
    // Swift's Glibc module does not have `malloc.h`.
    guard let symbol = unsafe dlsym(nil, "malloc_trim") else { return }
    typealias Function = @convention(c) (Int) -> Int32
    // `unsafe`: the type is the signature of `malloc_trim(3)`.
    _ = unsafe unsafeBitCast(symbol, to: Function.self)(0)
  }
}
