/// A small program that can deadlock, or that only looks as if it could.
struct Case: Sendable {
  /// What a tool that finds it must do with it.
  enum Kind: String, Sendable {
    /// Threads wait for one another in one order of events, and not in this run: to be found before any hang.
    case cycle
    /// A thread waits for what it holds itself. Such a run cannot pass: to be found at the call, before the thread
    /// waits.
    case itself
    /// Nothing runs any more, for want of a thread, or because no thread drains a queue: to be found at the hang
    /// (`--hang`).
    case hang
    /// It cannot deadlock. To be left alone.
    case innocent
  }

  /// Where the orders of a case are walked through. The answer is the same in each form.
  enum Form: String, Sendable, CaseIterable {
    /// Each order on a thread of its own.
    case many
    /// All on one thread, which is not the main one.
    case one
    /// All on the main thread, outside of a block, as a program's own top level and an XCTest method are.
    case main
  }

  /// What a tool cannot observe.
  enum Unseen: String, Sendable {
    /// None of our tools does.
    case actors, mutexes
  }

  let id: String
  let title: String
  /// The real case it is made after, as `owner/repository#number`.
  let origin: String?
  let kind: Kind
  /// Why a tool may miss it, if it may.
  let unseen: Unseen?
  /// The forms in which it can run.
  let forms: [Form]
  /// Whether only the raw spelling has such waits: the kit has neither threads nor operations, for example.
  let isRawOnly: Bool
  /// Whether it hangs because no thread drains the main queue; then it runs on the main thread.
  let leavesMainUndrained: Bool
  let body: @Sendable (Run) -> Void

  init(
    _ id: String, _ title: String, after origin: String? = nil, is kind: Kind, through unseen: Unseen? = nil,
    in forms: [Form] = Form.allCases, isRawOnly: Bool = false, leavesMainUndrained: Bool = false,
    _ body: @escaping @Sendable (Run) -> Void
  ) {
    self.id = id
    self.title = title
    self.origin = origin
    self.kind = kind
    self.unseen = unseen
    self.forms = kind == .cycle || kind == .innocent ? forms : [.many]
    self.isRawOnly = isRawOnly
    self.leavesMainUndrained = leavesMainUndrained
    self.body = body
  }
}

extension [Case.Form] {
  /// Of a case that waits for the main queue, which the main thread must drain.
  static let offMain: Self = [.many, .one]
}
