/// One class of resources, as the record of a watched process describes it.
package struct RecordedClass: Sendable {
  /// The kind of its resources.
  package enum Kind: Sendable {
    case serialQueue, concurrentQueue, mainQueue
    /// Swift's cooperative pool.
    case pool
    case mutex, readWriteLock
    /// A semaphore that is used as a lock.
    case semaphoreLock
    case semaphore, group, condition, future
    /// The end of a thread.
    case thread
    case workItem
    /// An initializer that runs once, such as that of a lazy global.
    case once
    /// The turns of `concurrentPerform`.
    case repeatedWork
    /// A block that was submitted.
    case block
  }

  package let kind: Kind
  /// The label of a queue; empty for other resources.
  package let label: String
  /// Whether it is a semaphore made with 1 that a thread signaled without holding it.
  package let isNoLock: Bool
  /// Whether it is a group that is used in phases, and guards no waits.
  package let isNoGuard: Bool
  /// Whether the creation of its resources was not seen: one proves nothing about another.
  package let isUnrelated: Bool
  /// Whether nothing shows if the address of its lock became another lock.
  package let isDoubtful: Bool
  /// Whether a barrier was used on one of its queues.
  package let hasBarriers: Bool
  /// The address of a lock that was never initialized, in an image of the program; 0 for every other resource.
  package let address: UInt
  /// The stack where its first resource was made: return addresses, innermost first.
  package let makers: [UInt]

  package init(
    _ kind: Kind, label: String = "", isNoLock: Bool = false, isNoGuard: Bool = false, isUnrelated: Bool = false,
    isDoubtful: Bool = false, hasBarriers: Bool = false, address: UInt = 0, makers: [UInt] = []
  ) {
    self.kind = kind
    self.label = label
    self.isNoLock = isNoLock
    self.isNoGuard = isNoGuard
    self.isUnrelated = isUnrelated
    self.isDoubtful = isDoubtful
    self.hasBarriers = hasBarriers
    self.address = address
    self.makers = makers
  }

  /// Whether its queues run one block at a time.
  package var isSerial: Bool { kind == .serialQueue }
  /// Whether its queues are concurrent, and no barrier was used on them.
  package var isShared: Bool { kind == .concurrentQueue && !hasBarriers }
}

extension [RecordedClass] {
  /// The class with this number, from 1; nil if it did not fit in the record.
  package func named(_ id: UInt32) -> RecordedClass? {
    let index = Int(id) - 1
    return indices.contains(index) ? self[index] : nil
  }
}

extension ResourceClass {
  /// The class with its name in reports.
  ///
  /// - Parameters:
  ///   - recorded: the class; nil if it did not fit in the record.
  ///   - site: the place where its resources are made.
  ///   - maker: the function and the file that make them, without a line.
  ///   - variable: the name of the global variable, for a lock that no call has initialized; empty if unknown.
  ///   - number, numberOnLine: see `ResourceClass`.
  package init(
    _ recorded: RecordedClass?, site: String, maker: String = "", variable: String = "", number: Int = 1,
    numberOnLine: Int = 1
  ) {
    func made(_ kind: Kind, noun: String? = nil, label: String = "") -> Self {
      Self(kind, noun: noun, label: label, site: site, maker: maker, number: number, numberOnLine: numberOnLine)
    }
    func signal(_ noun: String) -> Self { made(.signal, noun: noun) }
    self =
      switch recorded?.kind {
      case .serialQueue, .concurrentQueue: made(.queue, label: recorded?.label ?? "")
      case .mainQueue: Self(.queue, label: "main", site: "")
      case .pool: Self(.queue, label: "Swift's pool", site: "")
      case .mutex, .readWriteLock, .semaphoreLock: made(.lock, label: variable)
      case .semaphore: signal("semaphore")
      case .group: signal("group")
      case .future: signal("future")
      case .condition: Self(.signal, label: "condition", site: "")
      case .thread: Self(.signal, label: "end of a thread", site: "")
      case .workItem: signal("work item")
      case .once: made(.lock, noun: ResourceClass.initializer, label: variable)
      case .repeatedWork: signal("concurrent work")
      case .block: signal("block")
      case nil: Self(.lock, label: "that did not fit in the record", site: "")
      }
  }
}
