import Glibc
public import Synchronization

/// A pool of workspaces for one kind of work: a thread takes a free one, and no thread waits.
///
/// A workspace serves one thread at a time and is expensive to create or share, so it is kept. A thread first tries the
/// slot that it used last, which is nearly always free. If all are taken, it creates a workspace and drops it
/// afterwards.
@usableFromInline
package final class Workspaces<Workspace: AnyObject>: Sendable {
  @usableFromInline let slots: [Slot]
  @usableFromInline let make: @Sendable () throws(AuthError) -> Workspace

  /// - Parameter make: creates a workspace when none is free.
  package init(_ make: @escaping @Sendable () throws(AuthError) -> Workspace) {
    slots = (0..<slotCount).map { _ in Slot() }
    self.make = make
  }

  /// Runs work with a workspace. A workspace whose work failed is not used again, unless `keepsFailed`.
  @inlinable
  package func withOne<Result>(
    keepsFailed: Bool = false, _ work: (Workspace) throws(AuthError) -> Result
  ) throws(AuthError) -> Result {
    let start = threadSlot()
    for step in 0..<slots.count {
      let index = (start &+ step) & (slots.count &- 1)
      let slot = slots[index]
      guard slot.isTaken.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged else {
        continue
      }
      // Another thread took the first slot: start here from now on.
      if step > 0 { rememberSlot(index) }
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

  /// A slot for one workspace, on its own cache lines.
  ///
  /// `@unchecked`: only the thread that set `isTaken` accesses the workspace.
  @usableFromInline
  final class Slot: @unchecked Sendable {
    @usableFromInline let isTaken = Atomic<Bool>(false)
    @usableFromInline var workspace: Workspace?
    private let room = InlineArray<14, UInt64>(repeating: 0)

    fileprivate init() {}
  }
}

/// The slot that this thread tries first: the one that it used last, and initially a different one from those of the
/// preceding threads.
@usableFromInline
func threadSlot() -> Int {
  // `unsafe`: the thread's value is a number, and is only read as one.
  if let threadKey, let kept = unsafe pthread_getspecific(threadKey) { return Int(bitPattern: kept) }
  let index = threadCount.wrappingAdd(1, ordering: .relaxed).oldValue
  rememberSlot(index)
  return index
}

@usableFromInline
func rememberSlot(_ index: Int) {
  guard let threadKey else { return }
  // `pthread_getspecific` cannot distinguish zero from no value, so a multiple of the slot count is added.
  let kept = (index & (slotCount &- 1)) &+ slotCount
  // `unsafe`: a number that is never dereferenced as a pointer.
  unsafe _ = pthread_setspecific(threadKey, UnsafeRawPointer(bitPattern: kept))
}

/// The number of threads that have requested a workspace.
private let threadCount = Atomic<Int>(0)

/// The key of each thread's slot; `nil` if the process has no keys left, in which case a thread may start at any slot.
private let threadKey: pthread_key_t? = {
  var key = pthread_key_t()
  // `unsafe`: the key is written during the call.
  return unsafe pthread_key_create(&key, nil) == 0 ? key : nil
}()

/// A power of two, at least twice the number of processors.
private let slotCount: Int = {
  let processors = max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
  var count = 8
  while count < 2 * processors, count < 1024 { count *= 2 }
  return count
}()

extension Workspaces: CustomReflectable {
  /// Empty: workspaces contain keys and signatures, and another thread may be using one.
  @usableFromInline package var customMirror: Mirror { Mirror(self, children: []) }
}
