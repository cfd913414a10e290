import GatehouseBase
import Glibc
import Synchronization

/// Workspaces for one kind of work with one key: a thread takes one that nobody else has, and nobody waits.
///
/// OpenSSL's contexts serve one thread at a time, and setting one up takes locks that all threads share. So each
/// workspace is set up once and kept. A thread begins to look at a place of its own, which it nearly always finds
/// free; if all are taken it sets one up for itself and drops it afterwards.
final class Workspaces<Workspace: AnyObject>: Sendable {
  private let slots: [Slot]
  private let make: @Sendable () throws(AuthError) -> Workspace

  init(_ make: @escaping @Sendable () throws(AuthError) -> Workspace) {
    slots = (0..<slotCount).map { _ in Slot() }
    self.make = make
  }

  /// Lends a workspace to a piece of work. One whose work failed is not used again.
  func withOne<Result>(_ work: (Workspace) throws(AuthError) -> Result) throws(AuthError) -> Result {
    // Thread identifiers are addresses of blocks of memory, which are large: their low bits are all alike.
    let start = Int(truncatingIfNeeded: (UInt64(pthread_self()) >> 12) &* 0x9E37_79B9_7F4A_7C15 >> 40)
    for step in 0..<slots.count {
      let slot = slots[(start + step) & (slots.count - 1)]
      guard slot.isTaken.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged else {
        continue
      }
      let workspace: Workspace
      do throws(AuthError) {
        workspace = if let kept = slot.workspace { kept } else { try make() }
        let result = try work(workspace)
        slot.workspace = workspace
        slot.isTaken.store(false, ordering: .releasing)
        return result
      } catch {
        slot.workspace = nil
        slot.isTaken.store(false, ordering: .releasing)
        throw error
      }
    }
    return try work(make())
  }

  /// A place for one workspace, on cache lines of its own.
  ///
  /// `@unchecked`: only who has set `isTaken` touches the workspace.
  private final class Slot: @unchecked Sendable {
    let isTaken = Atomic<Bool>(false)
    var workspace: Workspace?
    private let room = InlineArray<14, UInt64>(repeating: 0)
  }
}

/// A power of two, at least twice as many as there are processors.
private let slotCount: Int = {
  let processors = max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
  var count = 8
  while count < 2 * processors, count < 1024 { count *= 2 }
  return count
}()
