import GatehouseFirebase

private final class SignUpViewController: UIViewController {
  let emailField = UITextField("signup@example.com")
  let passwordField = UITextField("correct horse")
  let message = UILabel()

  func signUpTapped() {
    guard let email = emailField.text, let password = passwordField.text else { return }
    Auth.auth().createUser(withEmail: email, password: password) { authResult, error in
      guard let user = authResult?.user, error == nil else {
        self.message.text = error!.localizedDescription
        return
      }
      self.message.text = "\(user.email!) created, new: \(authResult!.additionalUserInfo!.isNewUser)"
    }
  }
}

let signUpForm = FirebaseProgram("a sign-up form", prints: "label: signup@example.com created, new: true") {
  SignUpViewController().signUpTapped()
}
