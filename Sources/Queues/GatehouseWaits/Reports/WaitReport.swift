/// One finding about waits. `description` is its text for people; `json()` is the same for programs.
public struct WaitReport: Sendable {
  /// What was found.
  public enum Kind: String, Sendable {
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

    package init(function: String, file: String?, line: Int?, image: String) {
      self.function = function
      self.file = file
      self.line = line
      self.image = image
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
    /// Where resources of these classes are made: a file and a line; empty if unknown.
    public let heldSite, askedSite: String
    /// The kernel's number of the thread.
    public let thread: UInt32
    /// The name of the signal through which the holder of the one waits for the holder of the other; nil if the thread
    /// itself waits.
    public let signal: String?
    private let heldStack, askedStack: CallStack

    package init(
      held: String, heldSite: String, heldAt: CallStack, asked: String, askedSite: String, askedAt: CallStack,
      thread: UInt32, signal: String? = nil
    ) {
      self.held = held
      self.heldSite = heldSite
      heldStack = heldAt
      self.asked = asked
      self.askedSite = askedSite
      askedStack = askedAt
      self.thread = thread
      self.signal = signal
    }

    /// The stack with which the thread began to hold the first resource, innermost first; empty if unknown.
    ///
    /// Names are looked up when this is first read, on the calling thread. That can take a second.
    public var heldAt: [Frame] { heldStack.frames }
    /// The stack with which the thread waited for the second resource, like `heldAt`.
    public var askedAt: [Frame] { askedStack.frames }
  }

  /// What was found.
  public let kind: Kind
  /// Identifies the finding in suppressions. For a cycle: the names of its classes, from the first in byte order on.
  public let name: String
  /// What happened, in one sentence or more.
  public let summary: String
  /// The waits, in order. In a cycle each one waits for what the next one holds.
  public let waits: [Wait]
  /// What to do about it.
  public let rule: String

  package init(_ kind: Kind, name: String, summary: String, waits: [Wait] = [], rule: String) {
    self.kind = kind
    self.name = name
    self.summary = summary
    self.waits = waits
    self.rule = rule
  }
}
