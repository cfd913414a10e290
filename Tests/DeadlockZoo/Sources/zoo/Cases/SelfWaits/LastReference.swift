/// swiftlang/swift-syntax#307: the last reference to an object is released on its own queue, and its `deinit` waits for
/// that queue.
extension Case {
  static let lastReference = Case(
    "last-reference", "An object dies on its queue, and its `deinit` waits for the queue",
    after: "swiftlang/swift-syntax#307", is: .itself
  ) { _ in
    let isLeft = Event()
    let isGone = Event()
    @Sendable func use() { Engine(isGone).addConsumer(isLeft) }
    use()
    isLeft.happen()
    isGone.wait()
  }
}

private final class Engine: Sendable {
  private let queue = SerialQueue(label: "consumers")
  private let isGone: Event

  init(_ isGone: Event) { self.isGone = isGone }

  /// Returns at once. The block keeps the engine alive until it has run; its user may have left before.
  func addConsumer(_ isLeft: Event) {
    queue.async {
      isLeft.wait()
      self.touch()
    }
  }

  private func touch() {}

  deinit {
    queue.sync {}
    isGone.happen()
  }
}
