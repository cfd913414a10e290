import Glibc

/// The memory that the process has freed and the allocator keeps. Does nothing under an allocator other than the C
/// library's.
package enum FreeMemory {
  /// Gives whole free pages back to the system. Others may allocate meanwhile; some of them wait for milliseconds.
  package static func giveBack() {
    // Swift's Glibc module does not have `malloc.h`.
    guard let symbol = unsafe dlsym(nil, "malloc_trim") else { return }
    typealias Function = @convention(c) (Int) -> Int32
    // `unsafe`: the type is the signature of `malloc_trim(3)`.
    _ = unsafe unsafeBitCast(symbol, to: Function.self)(0)
  }

  /// Lets all threads allocate from one heap, where one thread uses again what another has freed. By default there are
  /// up to eight heaps for each core, and each keeps what is freed in it.
  ///
  /// Call it on the first thread, before another one begins: the C library fixes the number of heaps when a second
  /// thread allocates, and ignores later changes.
  package static func useOneHeap() {
    guard let symbol = unsafe dlsym(nil, "mallopt") else { return }
    typealias Function = @convention(c) (Int32, Int32) -> Int32
    let maximumOfHeaps: Int32 = -8  // M_ARENA_MAX of `malloc.h`
    // `unsafe`: the type is the signature of `mallopt(3)`.
    _ = unsafe unsafeBitCast(symbol, to: Function.self)(maximumOfHeaps, 1)
  }
}
