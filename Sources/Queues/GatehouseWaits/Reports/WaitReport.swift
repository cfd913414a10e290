/// One finding about waits. `description` is the text for people; `json()` is for programs.
public struct WaitReport: Sendable {
  /// The kind of a finding.
  public enum Kind: String, Sendable, CaseIterable {
    /// Observed waits, each harmless alone, form a cycle and can deadlock.
    case potentialDeadlock = "potential deadlock"
    /// A thread waits for a resource that it holds. On a plain dispatch queue the process crashes here.
    case waitForItself = "wait for itself"
    /// A thread of Swift's cooperative pool is blocked. The pool has one thread for each processor.
    case blockedPoolThread = "blocked pool thread"
    /// Blocks wait for a thread, and every thread that could run them is blocked.
    case poolExhausted = "pool exhausted"
    /// Work waits for a queue that no thread drains.
    case undrainedQueue = "undrained queue"
    /// A block ran on a queue for too long.
    case slowBlock = "slow block"
    /// Threads wait, and none has made progress for the time limit.
    case stall
  }

  /// One place in a program.
  public struct Frame: Sendable, Hashable, CustomStringConvertible {
    /// The name of the function, or the address in hexadecimal digits if no name is known.
    public let function: String
    /// The path of the source file; nil if unknown.
    public let file: String?
    /// The line in that file, from 1; nil if unknown.
    public let line: Int?
    /// The name of the program or library that contains the function.
    public let image: String

    /// - Parameter function: the name from the demangler. The name of a closure at a file's top level ends in ` in `.
    package init(function: String, file: String?, line: Int?, image: String) {
      let file = file?.withoutHiddenCharacters
      let place = file.map(Self.name) ?? image
      self.function = (function.hasSuffix(" in ") ? function + place : function).withoutHiddenCharacters
      self.file = file
      self.line = line
      self.image = image
    }

    private static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The function and the name of its file, without a line. The image replaces an unknown file.
    package var place: String {
      function.isEmpty ? file.map(Self.name) ?? image : "\(function) at \(file.map(Self.name) ?? image)"
    }

    /// `function at file:line`, or `function in image`.
    public var description: String {
      guard let file, let line else { return "\(function) in \(image)" }
      return "\(function) at \(file):\(line)"
    }
  }

  /// A thread that holds one resource and waits for another.
  public struct Wait: Sendable {
    /// The names of the two resources: `queue accounts`, `lock Store.swift:12`.
    public let held, asked: String
    /// The places where resources of these classes are made: a file and a line; empty if unknown.
    public let heldSite, askedSite: String
    /// The kernel's ID of the thread.
    public let thread: UInt32
    /// The name of the signal through which the holder of `held` waits for the holder of `asked`; nil if the thread
    /// itself waits.
    public let signal: String?
    /// The name of the first resource without a line number.
    package let lastingHeld: String
    private let heldStack, askedStack: CallStack

    /// - Parameters:
    ///   - holding: the held resource; `nil`: nothing.
    ///   - asking: the resource that is waited for; `nil`: nothing.
    package init(
      holding: ResourceClass?, heldAt: CallStack, asking: ResourceClass?, askedAt: CallStack, thread: UInt32,
      signal: String? = nil
    ) {
      held = holding?.name ?? "nothing"
      heldSite = holding?.site ?? ""
      lastingHeld = holding?.lastingName ?? "nothing"
      heldStack = heldAt
      asked = asking?.name ?? "nothing"
      askedSite = asking?.site ?? ""
      askedStack = askedAt
      self.thread = thread
      self.signal = signal
    }

    /// Makes a wait of a thread of Swift's pool, which is not a resource.
    init(poolThread thread: UInt32, asking: ResourceClass, askedAt: CallStack) {
      held = "a thread of Swift's pool"
      heldSite = ""
      lastingHeld = held
      heldStack = CallStack()
      asked = asking.name
      askedSite = asking.site
      askedStack = askedAt
      self.thread = thread
      signal = nil
    }

    /// The stack where the thread began to hold the first resource, innermost first; empty if unknown.
    ///
    /// Names are looked up when this is first read, on the calling thread. That can take a second.
    public var heldAt: [Frame] { heldStack.frames }
    /// The stack where the thread waited for the second resource, like `heldAt`.
    public var askedAt: [Frame] { askedStack.frames }
  }

  /// The kind of the finding.
  public let kind: Kind
  /// Whether this is a note: worth knowing, but not a finding. A note fails no test and changes no exit status.
  public let isNote: Bool
  /// Identifies the finding in suppressions. For a cycle: the names of its classes, starting with the first in byte
  /// order. It has no line numbers, so it survives edits.
  public let name: String
  /// The event, in one sentence or more.
  public let summary: String
  /// The waits, in order. In a cycle each one waits for a resource that the next one holds.
  public let waits: [Wait]
  /// The remedy.
  public let rule: String
  /// The name with line numbers. Older suppressions contain it, and still work.
  package let title: String

  /// - Parameter title: the name with line numbers; `nil` if it is the same.
  package init(
    _ kind: Kind, name: String, title: String? = nil, summary: String, waits: [Wait] = [], rule: String,
    isNote: Bool = false
  ) {
    self.kind = kind
    self.isNote = isNote
    self.name = name
    self.title = title ?? name
    self.summary = summary
    self.waits = waits
    self.rule = rule
  }

  /// The same report as a note.
  package var asNote: WaitReport {
    WaitReport(kind, name: name, title: title, summary: summary, waits: waits, rule: rule, isNote: true)
  }
}
