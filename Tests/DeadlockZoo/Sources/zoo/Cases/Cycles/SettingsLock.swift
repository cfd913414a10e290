/// firebase/firebase-ios-sdk#15394: settings that arrive are stored under a lock, storing posts a notification, and a
/// notification returns when its observers on main have run. Main reads the settings under the same lock.
extension Case {
  static let settingsLock = Case(
    "settings-lock", "A notification is posted to main under a lock that main takes",
    after: "firebase/firebase-ios-sdk#15394", is: .cycle, in: .offMain
  ) { run in
    let settings = Lock(0)
    @Sendable func post() { SerialQueue.main.sync {} }
    run.orders(
      {
        settings.withLock { settings in
          run.meet()
          settings += 1
          post()
        }
      },
      {
        SerialQueue.main.sync {
          run.meet()
          _ = settings.withLock { $0 }
        }
      })
  }
}
