import Foundation
import GatehouseFirebase

/// A screen that hears of the user by a notification.
private final class MenuViewController: UIViewController {
  private var observer: NSObjectProtocol?

  override func viewDidLoad() {
    super.viewDidLoad()
    observer = NotificationCenter.default.addObserver(forName: .AuthStateDidChange, object: Auth.auth(), queue: nil) {
      notification in
      let auth = notification.object as? Auth
      if let user = auth?.currentUser { print("notified of", user.isAnonymous ? "a guest" : "a user") }
    }
  }

  func close() { observer.map(NotificationCenter.default.removeObserver) }
}

let notification = FirebaseProgram("a notification", prints: "notified of a guest") {
  let screen = MenuViewController()
  screen.viewDidLoad()
  _ = try await Auth.auth().signInAnonymously()
  while Transcript.shared.lines.isEmpty { await Task.yield() }
  screen.close()
}

let notificationOnMain = FirebaseProgram(
  "a notification for an observer on the main queue", prints: "notified of a guest"
) {
  let observer = NotificationCenter.default.addObserver(
    forName: .AuthStateDidChange, object: Auth.auth(), queue: .main
  ) { notification in
    if (notification.object as? Auth)?.currentUser?.isAnonymous == true { print("notified of a guest") }
  }
  _ = try await Auth.auth().signInAnonymously()
  while Transcript.shared.lines.isEmpty { await Task.yield() }
  NotificationCenter.default.removeObserver(observer)
}

/// An administrator's app that makes users, and stays signed in.
private func makeUser(_ email: String) {
  guard let options = FirebaseApp.app()?.options else { return }
  FirebaseApp.configure(name: "Secondary", options: options)
  guard let secondary = FirebaseApp.app(name: "Secondary") else { return print("Could not retrieve secondary app") }
  let secondaryAuth = Auth.auth(app: secondary)
  secondaryAuth.createUser(withEmail: email, password: "correct horse") { result, error in
    print("made", result?.user.email ?? "\(error!)", secondaryAuth.app?.name ?? "")
    print("still", Auth.auth().currentUser?.email ?? "no user", Auth.auth().app === FirebaseApp.app())
    try? secondaryAuth.signOut()
  }
}

let secondaryApp = FirebaseProgram(
  "a second app", prints: "made made@example.com Secondary", "still boss@example.com true", "one account: true"
) {
  try await Auth.auth().createUser(withEmail: "boss@example.com", password: "correct horse")
  makeUser("made@example.com")
  while Transcript.shared.lines.count < 2 { await Task.yield() }
  let user = try await Auth.auth().signIn(withEmail: "made@example.com", password: "correct horse").user
  print("one account:", user.email == "made@example.com")
}

/// An app that is made for one task.
private func runTask() {
  FirebaseApp.configure(name: "Task", options: FirebaseApp.app()!.options)
  let app = FirebaseApp.app(name: "Task")!
  Auth.auth(app: app).signInAnonymously { result, error in
    print("guest:", result?.user.isAnonymous ?? false)
    app.delete { success in
      print(
        "deleted:", success, FirebaseApp.app(name: "Task") == nil, FirebaseApp.allApps?.keys.contains("Task") ?? true)
      app.delete { success in
        print("again:", success)
        Auth.auth(app: app).signInAnonymously { _, error in print("closed:", error != nil) }
      }
    }
  }
}

let deletedApp = FirebaseProgram(
  "an app that is deleted", prints: "guest: true", "deleted: true true false", "again: false", "closed: true"
) {
  runTask()
}

let userSequence = FirebaseProgram("the users, one after another", prints: "no user", "a guest") {
  for await user in Auth.auth().authStateChanges {
    print(user == nil ? "no user" : "a guest")
    if user != nil { break }
    Task { try await Auth.auth().signInAnonymously() }
  }
}

let severalUsers = FirebaseProgram("several users", prints: "one@example.com", "nil", "two@example.com") {
  let one = try await Auth.auth().createUser(withEmail: "one@example.com", password: "correct horse").user
  print(one.email ?? "")
  let other = Auth.auth(app: FirebaseApp.app(name: "Secondary")!)
  let two = try await other.createUser(withEmail: "two@example.com", password: "correct horse").user
  Auth.auth().updateCurrentUser(two) { error in
    print(error as Any)
    print(Auth.auth().currentUser?.email ?? "")
  }
}
