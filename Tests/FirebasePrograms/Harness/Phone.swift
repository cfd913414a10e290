import Synchronization

/// A user's phone, which keeps the secret of an authenticator app.
enum Phone {
  private static let kept = Mutex("")

  static var secret: String {
    get { kept.withLock { $0 } }
    set { kept.withLock { $0 = newValue } }
  }
}
