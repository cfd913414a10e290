import Glibc
public import Synchronization

/// Workspaces for one kind of work: a thread takes a free one, and no thread waits.
///
/// A workspace serves one thread at a time and is costly to make or share, so it is kept. A thread first looks where it
/// found a workspace last, which is nearly always free. If all are taken it makes one and drops it afterwards.
@usableFromInline
package final class Workspaces<Workspace: AnyObject>: Sendable {
  @usableFromInline let slots: [Slot]
  @usableFromInline let make: @Sendable () throws(AuthError) -> Workspace

  /// - Parameter make: makes a workspace when none is free.
  package init(_ make: @escaping @Sendable () throws(AuthError) -> Workspace) {
    slots = (0..<slotCount).map { _ in Slot() }
    self.make = make
  }

  /// Lends a workspace to a piece of work. One whose work failed is not used again, unless `keepsFailed`.
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
      // Another thread took the first slot: look here first from now on.
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

  /// A slot for one workspace, on cache lines of its own.
  ///
  /// `@unchecked`: only the thread that set `isTaken` touches the workspace.
  @usableFromInline
  final class Slot: @unchecked Sendable {
    @usableFromInline let isTaken = Atomic<Bool>(false)
    @usableFromInline var workspace: Workspace?
    private let room = InlineArray<14, UInt64>(repeating: 0)

    fileprivate init() {}
  }
}

/// The slot where this thread looks first: where it found a workspace last, and initially another one than the threads
/// before it.
@usableFromInline
func threadSlot() -> Int {
  // `unsafe`: what is kept for the thread is a number, and is only read as one.
  if let threadKey, let kept = unsafe pthread_getspecific(threadKey) { return Int(bitPattern: kept) }
  let index = threadCount.wrappingAdd(1, ordering: .relaxed).oldValue
  rememberSlot(index)
  return index
}

@usableFromInline
func rememberSlot(_ index: Int) {
  guard let threadKey else { return }
  // `pthread_getspecific` cannot tell zero from no value, so a multiple of the slot count is added.
  let kept = (index & (slotCount &- 1)) &+ slotCount
  // `unsafe`: a number that is never dereferenced.
  unsafe _ = pthread_setspecific(threadKey, UnsafeRawPointer(bitPattern: kept))
}

/// The number of threads that have looked for a workspace.
private let threadCount = Atomic<Int>(0)

/// The key of each thread's slot; `nil` if the process has no key left: then threads start at any slot.
private let threadKey: pthread_key_t? = {
  var key = pthread_key_t()
  // `unsafe`: the key is written during the call.
  return unsafe pthread_key_create(&key, nil) == 0 ? key : nil
}()

/// A power of two, at least twice as many as there are processors.
private let slotCount: Int = {
  let processors = max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
  var count = 8
  while count < 2 * processors, count < 1024 { count *= 2 }
  return count
}()
