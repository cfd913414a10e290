import CGatehouseWaits
import GatehouseBase
import Synchronization

/// What makes a queue or a lock known to the wait monitor: its class, and a number of its own.
///
/// Both are found when they are first needed, so that a program without monitor pays a few words of memory.
struct WaitIdentity: ~Copyable, Sendable {
  private let kind: WaitKind
  private let label: String
  private let file: StaticString
  private let line: UInt
  private let scope: UInt64
  /// The instance above, the class in the low bits; 0 before the first use.
  private let number = Atomic<UInt64>(0)
  private static let classBits: UInt64 = 20
  private static let instances = Atomic<UInt64>(0)

  init(_ kind: WaitKind, label: String = "", file: StaticString, line: UInt) {
    self.kind = kind
    self.label = label
    self.file = file
    self.line = line
    scope = gw_is_on() ? WaitMonitor.scope : 0
  }

  /// The thing for the recorder. `scope`: the test in which it is asked for, if one is known.
  func thing(isShared: Bool = false, in scope: UInt64 = 0) -> gw_thing {
    var number = number.load(ordering: .relaxed)
    if number == 0 { number = assign() }
    let classID = UInt32(truncatingIfNeeded: number & (1 << Self.classBits - 1))
    return gw_thing(
      instance: number, class_id: classID, is_shared: isShared ? 1 : 0, scope: scope == 0 ? self.scope : scope)
  }

  private func assign() -> UInt64 {
    let classID = WaitClasses.id(of: WaitClass(kind, label: label, site: "\(file):\(line)"))
    let instance = Self.instances.add(1, ordering: .relaxed).newValue
    let mine = instance << Self.classBits | UInt64(min(classID, 1 << UInt32(Self.classBits) - 1))
    let (isMine, other) = number.compareExchange(expected: 0, desired: mine, ordering: .relaxed)
    return isMine ? mine : other
  }
}

/// The classes of this process.
enum WaitClasses {
  private struct State {
    var classes: [WaitClass] = []
    var ids: [WaitClass: UInt32] = [:]
  }

  private static let state = Lock(unwatched: State())

  static func id(of kind: WaitClass) -> UInt32 {
    state.withLock { state in
      if let known = state.ids[kind] { return known }
      state.classes.append(kind)
      let id = UInt32(truncatingIfNeeded: state.classes.count)
      state.ids[kind] = id
      return id
    }
  }

  static subscript(id: UInt32) -> WaitClass {
    state.withLock { state in
      let place = Int(id) - 1
      return state.classes.indices.contains(place) ? state.classes[place] : WaitClass(.lock, label: "", site: "")
    }
  }
}
