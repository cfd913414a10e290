import CGatehouseWaits
import GatehouseWaits
import Synchronization

/// The identity of a queue or a lock for the wait monitor: its class, and a number of its own.
///
/// Both are assigned on first use, so that a program without the monitor pays a few words of memory only.
struct WaitIdentity: ~Copyable, Sendable {
  private let kind: ResourceClass.Kind
  private let label: String
  private let file: StaticString
  private let line: UInt
  private let scope: UInt64
  /// The instance in the high bits, the class in the low bits; 0 before the first use.
  private let number: Atomic<UInt64>
  /// The hold under which the resource was made; 0: other threads know it.
  private let madeIn: Atomic<UInt64>
  private static let classBits: UInt64 = 20
  private static let instances = Atomic<UInt64>(0)

  init(_ kind: ResourceClass.Kind, label: String = "", file: StaticString, line: UInt) {
    self.kind = kind
    self.label = label
    self.file = file
    self.line = line
    let isWatched = gw_is_on()
    scope = isWatched ? WaitMonitor.scope : 0
    number = Atomic(0)
    madeIn = Atomic(isWatched ? gw_innermost() : 0)
  }

  /// The identity of the main queue: each has the same number, and belongs to no test.
  init(main: Void) {
    kind = .queue
    label = "main"
    file = "the main thread"
    line = 0
    scope = 0
    number = Atomic(Self.mainNumber)
    madeIn = Atomic(0)
  }

  /// The main queue, for the recorder.
  static var main: gw_thing { WaitIdentity(main: ()).thing() }

  private static let mainNumber = assign(WaitClasses.id(of: ResourceClass(.queue, label: "main", site: "")))

  /// The resource for the recorder.
  ///
  /// - Parameter scope: the test in which the caller waits for it, if known.
  func thing(isShared: Bool = false, in scope: UInt64 = 0) -> gw_thing {
    var number = number.load(ordering: .relaxed)
    if number == 0 { number = assign() }
    let classID = UInt32(truncatingIfNeeded: number & (1 << Self.classBits - 1))
    return gw_thing(
      instance: number, class_id: classID, is_shared: isShared ? 1 : 0, scope: scope == 0 ? self.scope : scope,
      made_in: privacy(of: number))
  }

  /// The hold during which only its maker knows the resource; 0: others know it.
  ///
  /// If another thread uses it while that hold lasts, it was never private.
  private func privacy(of number: UInt64) -> UInt64 {
    let madeIn = madeIn.load(ordering: .relaxed)
    if madeIn == 0 || gw_is_private(madeIn) { return madeIn }
    if gw_lasts(madeIn) { WaitMonitor.publish(number) }
    self.madeIn.store(0, ordering: .relaxed)
    return 0
  }

  private func assign() -> UInt64 {
    let mine = Self.assign(WaitClasses.id(of: ResourceClass(kind, label: label, site: "\(file):\(line)")))
    let (isMine, other) = number.compareExchange(expected: 0, desired: mine, ordering: .relaxed)
    return isMine ? mine : other
  }

  private static func assign(_ classID: UInt32) -> UInt64 {
    let instance = instances.add(1, ordering: .relaxed).newValue
    return instance << classBits | UInt64(min(classID, 1 << UInt32(classBits) - 1))
  }
}

/// The classes of this process, numbered from 1.
enum WaitClasses {
  private struct State {
    var classes: [ResourceClass] = []
    var ids: [ResourceClass: UInt32] = [:]
    /// The first class with each name that the program gave.
    var named: [String: UInt32] = [:]
  }

  private static let state = UnwatchedLock(State())

  static func id(of resource: ResourceClass) -> UInt32 {
    state.withLock { state in
      if let known = state.ids[resource] { return known }
      state.classes.append(resource)
      let id = UInt32(truncatingIfNeeded: state.classes.count)
      state.ids[resource] = id
      if state.named[resource.name] == nil { state.named[resource.name] = id }
      return id
    }
  }

  /// The first class with the label of this one; itself if it has none. Queues of one label are of one kind, wherever
  /// they are made.
  static func family(of id: UInt32) -> UInt32 {
    state.withLock { state in
      let index = Int(id) - 1
      guard state.classes.indices.contains(index), !state.classes[index].label.isEmpty else { return id }
      return state.named[state.classes[index].name] ?? id
    }
  }

  static subscript(id: UInt32) -> ResourceClass {
    state.withLock { state in
      let index = Int(id) - 1
      return state.classes.indices.contains(index) ? state.classes[index] : ResourceClass(.lock, label: "", site: "")
    }
  }
}
