import GatehouseFirebase

private final class LoginViewController: UIViewController {
  let message = UILabel()

  func login(_ email: String, _ password: String) {
    Auth.auth().signIn(withEmail: email, password: password) { [weak self] authResult, error in
      guard let strongSelf = self else { return }
      if let error = error {
        strongSelf.message.text = error.localizedDescription.isEmpty ? "" : "no"
        return
      }
      strongSelf.message.text = "welcome \(authResult!.user.email!)"
    }
  }
}

let signInForm = FirebaseProgram("a sign-in form", prints: "label: no", "label: welcome signin@example.com") {
  try await Project.makeUser("signin@example.com")
  let screen = LoginViewController()
  screen.login("signin@example.com", "wrong")
  while Transcript.shared.lines.isEmpty { await Task.yield() }
  screen.login("signin@example.com", "correct horse")
  while Transcript.shared.lines.count < 2 { await Task.yield() }
  withExtendedLifetime(screen) {}
}
