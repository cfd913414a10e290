import Glibc
public import Synchronization

/// Workspaces for one kind of work: a thread takes one that nobody else has, and nobody waits.
///
/// What serves one thread at a time, or is costly to share, is made once for each thread that comes by, and kept. A
/// thread begins to look at a place of its own, which it nearly always finds free; if all are taken it makes a workspace
/// for itself and drops it afterwards.
public final class Workspaces<Workspace: AnyObject>: Sendable {
  @usableFromInline let slots: [Slot]
  @usableFromInline let make: @Sendable () throws(AuthError) -> Workspace

  public init(_ make: @escaping @Sendable () throws(AuthError) -> Workspace) {
    slots = (0..<slotCount).map { _ in Slot() }
    self.make = make
  }

  /// Lends a workspace to a piece of work. One whose work failed is not used again, unless `keepsFailed`.
  @inlinable
  public func withOne<Result>(
    keepsFailed: Bool = false, _ work: (Workspace) throws(AuthError) -> Result
  ) throws(AuthError) -> Result {
    let start = threadPlace
    for step in 0..<slots.count {
      let slot = slots[(start &+ step) & (slots.count &- 1)]
      guard slot.isTaken.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged else {
        continue
      }
      var keeps = keepsFailed
      let workspace: Workspace
      if let kept = slot.workspace {
        workspace = kept
      } else {
        do throws(AuthError) { workspace = try make() } catch {
          slot.isTaken.store(false, ordering: .releasing)
          throw error
        }
        slot.workspace = workspace
      }
      defer {
        if !keeps { slot.workspace = nil }
        slot.isTaken.store(false, ordering: .releasing)
      }
      let result = try work(workspace)
      keeps = true
      return result
    }
    return try work(make())
  }

  /// A place for one workspace, on cache lines of its own.
  ///
  /// `@unchecked`: only who has set `isTaken` touches the workspace.
  @usableFromInline
  final class Slot: @unchecked Sendable {
    @usableFromInline let isTaken = Atomic<Bool>(false)
    @usableFromInline var workspace: Workspace?
    private let room = InlineArray<14, UInt64>(repeating: 0)

    fileprivate init() {}
  }
}

/// Where this thread begins to look.
@usableFromInline
var threadPlace: Int {
  // Thread identifiers are addresses of blocks of memory, which are large: their low bits are all alike.
  Int(truncatingIfNeeded: (UInt64(pthread_self()) >> 12) &* 0x9E37_79B9_7F4A_7C15 >> 40)
}

/// A power of two, at least twice as many as there are processors.
private let slotCount: Int = {
  let processors = max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
  var count = 8
  while count < 2 * processors, count < 1024 { count *= 2 }
  return count
}()
