import GatehouseFirebase

/// The listener of a screen, as Firebase's first page adds and removes it.
private final class HomeViewController: UIViewController {
  var handle: AuthStateDidChangeListenerHandle?

  override func viewWillAppear(_ animated: Bool) {
    super.viewWillAppear(animated)
    handle = Auth.auth().addStateDidChangeListener { auth, user in
      if let user = user {
        print("signed in:", user.email ?? "", auth.currentUser?.uid == user.uid)
      } else {
        print("show the login screen")
      }
    }
  }

  override func viewWillDisappear(_ animated: Bool) {
    super.viewWillDisappear(animated)
    Auth.auth().removeStateDidChangeListener(handle!)
  }
}

let startOfAnApp = FirebaseProgram(
  "a listener of a screen", prints: "show the login screen", "signed in: start@example.com true"
) {
  let screen = HomeViewController()
  screen.viewWillAppear(false)
  _ = try await Auth.auth().createUser(withEmail: "start@example.com", password: "correct horse")
  while Transcript.shared.lines.count < 2 { await Task.yield() }
  screen.viewWillDisappear(false)
}
