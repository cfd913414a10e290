/// A caller's closure, to be called exactly once, on the callback queue, and released there.
package final class Callback<Value: Sendable>: Sendable {
  private let closure: TakeOnce<@Sendable (Value) -> Void>
  private let queue: CallbackQueue

  package init(_ closure: @escaping @Sendable (Value) -> Void, on queue: CallbackQueue) {
    self.closure = TakeOnce(closure)
    self.queue = queue
  }

  /// Delivers the value; a second time does nothing.
  package func callAsFunction(_ value: Value) {
    queue.deliver { [closure] in closure.take()?(value) }
  }
}
