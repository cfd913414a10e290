/// The alarm of one operation's deadline, and what it ends.
@WorkQueue
final class OperationLimit {
  private let deadline: Deadline?
  private let expired: @WorkQueue @Sendable (Deadline) -> Void
  private var alarm: Alarms.Handle?
  /// Ends the operation, once it has begun.
  private var stop: (@WorkQueue () -> Void)?

  /// - Parameter expired: called when the deadline passes, before the operation is ended.
  init(_ deadline: Deadline?, expired: @escaping @WorkQueue @Sendable (Deadline) -> Void) {
    self.deadline = deadline
    self.expired = expired
    if deadline?.start == .call { setAlarm() }
  }

  /// Records that the operation has begun.
  ///
  /// - Parameter stop: gives the operation up.
  func began(_ hold: QueueHold, stop: @escaping @WorkQueue () -> Void) {
    guard deadline != nil else { return }
    self.stop = {
      hold.end()
      stop()
    }
    if alarm == nil { setAlarm() }
  }

  /// Cancels the alarm: the operation has ended.
  func end() {
    alarm?.cancel()
    (alarm, stop) = (nil, nil)
  }

  private func setAlarm() {
    guard let deadline else { return }
    alarm = deadline.time.after(deadline.seconds) {
      self.alarm = nil
      self.expired(deadline)
      self.stop?()
      self.stop = nil
    }
  }
}
