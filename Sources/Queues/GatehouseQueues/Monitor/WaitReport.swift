public import GatehouseBase

/// What the wait monitor found: for people as text, for programs as JSON.
public struct WaitReport: Sendable, CustomStringConvertible {
  public enum Kind: String, Sendable {
    /// Waits that were seen, each harmless by itself, can close a cycle and hang.
    case potentialDeadlock = "potential deadlock"
    /// A thread asks for what it holds itself; on a plain dispatch queue the process dies here.
    case waitForItself = "wait for itself"
    /// A thread of Swift's cooperative pool is blocked; there are only as many as processors.
    case blockedPoolThread = "blocked pool thread"
    /// Every thread that could go on is blocked.
    case poolExhausted = "pool exhausted"
    /// Callbacks wait for a queue that nobody drains.
    case undrainedQueue = "undrained queue"
    /// A block kept a queue for too long.
    case slowBlock = "slow block"
    /// Threads wait, and nothing has moved for a while.
    case stall
  }

  /// One place in a program.
  public struct Frame: Sendable, Hashable, CustomStringConvertible {
    public let function: String
    public let file: String?
    public let line: Int?
    public let image: String

    public init(function: String, file: String?, line: Int?, image: String) {
      self.function = function
      self.file = file
      self.line = line
      self.image = image
    }

    public var description: String {
      guard let file, let line else { return "\(function) in \(image)" }
      return "\(function) at \(file):\(line)"
    }
  }

  /// Somebody who holds one thing and waits for another.
  public struct Wait: Sendable {
    /// The names of the two: `queue accounts`, `lock Store.swift:12`.
    public let held, asked: String
    /// Where things of these classes are made.
    public let heldSite, askedSite: String
    public let thread: UInt32
    /// The signal through which the one waits for the other.
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

    /// Where the one came to be held, innermost first. Names are looked up when they are first asked for, which takes
    /// long.
    public var heldAt: [Frame] { heldStack.frames }
    /// Where the other was asked for, as `heldAt`.
    public var askedAt: [Frame] { askedStack.frames }
  }

  public let kind: Kind
  /// Names the finding in suppressions: for a cycle the names of its classes, beginning with the first in byte order.
  public let name: String
  /// What happened, in a sentence or more.
  public let summary: String
  public let waits: [Wait]
  /// What to do about it.
  public let rule: String

  public init(_ kind: Kind, name: String, summary: String, waits: [Wait] = [], rule: String) {
    self.kind = kind
    self.name = name
    self.summary = summary
    self.waits = waits
    self.rule = rule
  }

  // MARK: - For people

  public var description: String {
    var lines = ["\(kind.rawValue): \(name)", "", summary]
    for (place, wait) in waits.enumerated() {
      let isFirst = place == 0, isLast = place == waits.count - 1
      lines += [
        "", (isFirst ? "┌─▶ " : "│   ") + "\(wait.held)\(wait.heldSite.isEmpty ? "" : ", made at \(wait.heldSite)")",
      ]
      let how = wait.signal.map { " through \($0)" } ?? ""
      lines += section("│     held since", wait.heldAt, otherwise: "it began to run")
      lines += section("│     thread \(wait.thread) waited for \(wait.asked)\(how)", wait.askedAt, otherwise: "")
      if isLast { lines.append("└──── \(wait.asked)") }
    }
    lines += ["", "What to do: \(rule)"]
    return lines.joined(separator: "\n")
  }

  private func section(_ title: String, _ frames: [Frame], otherwise: String) -> [String] {
    guard !frames.isEmpty else { return ["\(title)\(otherwise.isEmpty ? "" : " \(otherwise)")"] }
    return [title] + frames.map { "│         \($0)" }
  }

  // MARK: - For programs

  public var json: JSONObject {
    func frames(_ frames: [Frame]) -> JSONValue {
      .array(
        frames.map {
          var object: JSONObject = ["function": .string($0.function), "image": .string($0.image)]
          object["file"] = $0.file.map { .string($0) }
          object["line"] = $0.line.map { .number(JSONNumber($0)) }
          return .object(object)
        })
    }
    let waits = waits.map { wait in
      var object: JSONObject = [
        "held": .string(wait.held), "heldSite": .string(wait.heldSite), "heldAt": frames(wait.heldAt),
        "asked": .string(wait.asked), "askedSite": .string(wait.askedSite), "askedAt": frames(wait.askedAt),
        "thread": .number(JSONNumber(Int(wait.thread))),
      ]
      object["signal"] = wait.signal.map { .string($0) }
      return JSONValue.object(object)
    }
    return [
      "kind": .string(kind.rawValue), "name": .string(name), "summary": .string(summary), "waits": .array(waits),
      "rule": .string(rule),
    ]
  }
}

extension WaitReport {
  /// A report of a cycle that a graph found.
  package init(
    cycle: [WaitEdge], _ names: WaitNames
  ) {
    let waits = cycle.map { edge in
      let from = names.classes(edge.from.classID), to = names.classes(edge.to.classID)
      let signal: String? = if case .signal(let thing) = edge.reason { names.classes(thing.classID).name } else { nil }
      return Wait(
        held: from.name, heldSite: from.site, heldAt: names.stack(edge.heldAt), asked: to.name, askedSite: to.site,
        askedAt: names.stack(edge.askedAt), thread: edge.thread, signal: signal)
    }
    let held = waits.map(\.held)
    let first = held.indices.min { Array(held[$0].utf8).lexicographicallyPrecedes(Array(held[$1].utf8)) } ?? 0
    let name = (held[first...] + held[..<first] + [held[first]]).joined(separator: " → ")
    if cycle.first?.reason == .itself {
      self.init(
        .waitForItself, name: name,
        summary: "\(held[0]) was asked for by the very thread that holds it. It would wait for ever.", waits: waits,
        rule: """
          Do not wait for a queue from code that may run on it. Split the function: a synchronous wrapper for callers \
          from elsewhere, and an inner one, without waiting, for code that is on the queue already.
          """)
    } else if cycle.count == 1 || Set(held).count == 1 {
      self.init(
        .potentialDeadlock, name: name,
        summary: """
          Two of the same class were each held while the other was waited for. When both happens at once, neither \
          ends.
          """, waits: waits,
        rule: "Take two of one kind in a fixed order (by an identifier, say), or only one at a time.")
    } else {
      self.init(
        .potentialDeadlock, name: name,
        summary: """
          \(waits.count) waits were seen that can close a circle. This run did not hang; when they happen at once, \
          none of them ends.
          """, waits: waits,
        rule: """
          Let waits go one way only. Decide which of these comes first, and in the other order do not wait: hand the \
          work over asynchronously, or let go of the one before asking for the other.
          """)
    }
  }
}
