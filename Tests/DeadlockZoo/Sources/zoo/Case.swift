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

  /// Waits that no tool can observe.
  enum Unseen: String, Sendable { case actors, mutexes }

  let id: String
  let title: String
  /// The real case it is made after, as `owner/repository#number`.
  let origin: String?
  let kind: Kind
  /// Why a tool may miss it, if it may.
  let unseen: Unseen?
  /// Whether it hangs because no thread drains the main queue; then it runs on the main thread.
  let leavesMainUndrained: Bool
  let body: @Sendable (Run) -> Void

  init(
    _ id: String, _ title: String, after origin: String? = nil, is kind: Kind, through unseen: Unseen? = nil,
    leavesMainUndrained: Bool = false, _ body: @escaping @Sendable (Run) -> Void
  ) {
    self.id = id
    self.title = title
    self.origin = origin
    self.kind = kind
    self.unseen = unseen
    self.leavesMainUndrained = leavesMainUndrained
    self.body = body
  }
}
