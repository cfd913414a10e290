import Glibc
public import Synchronization

/// Workspaces for one kind of work: a thread takes one that nobody else has, and nobody waits.
///
/// What serves one thread at a time, or is costly to share, is made once for each thread that comes by, and kept. A
/// thread begins to look where it found a workspace last, which it nearly always finds free; if all are taken it makes
/// a workspace for itself and drops it afterwards.
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
    let start = threadPlace()
    for step in 0..<slots.count {
      let place = (start &+ step) & (slots.count &- 1)
      let slot = slots[place]
      guard slot.isTaken.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged else {
        continue
      }
      // Somebody else has the place where this thread looked first: from now on they do not meet.
      if step > 0 { rememberThreadPlace(place) }
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

/// Where this thread begins to look: where it found a workspace last, and at first at another place than the threads
/// before it.
@usableFromInline
func threadPlace() -> Int {
  // `unsafe`: what is kept for the thread is a number, and is only read as one.
  if let threadKey, let kept = unsafe pthread_getspecific(threadKey) { return Int(bitPattern: kept) }
  let place = threadCount.wrappingAdd(1, ordering: .relaxed).oldValue
  rememberThreadPlace(place)
  return place
}

@usableFromInline
func rememberThreadPlace(_ place: Int) {
  guard let threadKey else { return }
  // Only the place among the slots counts; no number but zero is kept as nothing.
  let kept = (place & (slotCount &- 1)) &+ slotCount
  // `unsafe`: a number, which nobody takes for a pointer.
  unsafe _ = pthread_setspecific(threadKey, UnsafeRawPointer(bitPattern: kept))
}

/// How many threads have looked for a workspace.
private let threadCount = Atomic<Int>(0)

/// Under which each thread keeps its place; `nil` if the process has no key left: then threads look anywhere.
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
