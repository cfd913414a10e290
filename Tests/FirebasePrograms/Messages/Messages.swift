import Foundation
import GatehouseFirebase

private func verifyAddress() {
  Auth.auth().languageCode = "fr"
  Auth.auth().currentUser?.sendEmailVerification { error in
    print("sent:", error as Any)
  }
}

let verificationMessage = FirebaseProgram("a message that verifies", prints: "sent: nil", "verified: true") {
  try await Auth.auth().createUser(withEmail: "verify@example.com", password: "correct horse")
  verifyAddress()
  let code = await Mailbox.shared.code(to: "verify@example.com")
  while Transcript.shared.lines.isEmpty { await Task.yield() }
  try await Auth.auth().applyActionCode(code)
  Auth.auth().currentUser?.reload { _ in print("verified:", Auth.auth().currentUser!.isEmailVerified) }
}

private func forgotPassword(_ email: String) {
  Auth.auth().sendPasswordReset(withEmail: email) { error in
    guard error == nil else { return print("Error:", error!.localizedDescription) }
    print("Check your mail.")
  }
}

private func reset(_ code: String) {
  Auth.auth().verifyPasswordResetCode(code) { email, error in
    print(email ?? "", error as Any)
    Auth.auth().confirmPasswordReset(withCode: code, newPassword: "another horse") { error in
      if let error { print(error) } else { print("The password is changed.") }
    }
  }
}

let passwordReset = FirebaseProgram(
  "a forgotten password", prints: "Check your mail.", "forgot@example.com nil", "The password is changed."
) {
  try await Project.makeUser("forgot@example.com")
  forgotPassword("forgot@example.com")
  let code = await Mailbox.shared.code(to: "forgot@example.com")
  while Transcript.shared.lines.isEmpty { await Task.yield() }
  reset(code)
}

private func open(_ link: String) {
  guard let url = ActionCodeURL(link: link), let code = url.code else { return print("no link") }
  switch url.operation {
  case .verifyEmail: print("verifies an address")
  default: print("something else")
  }
  Auth.auth().checkActionCode(code) { info, error in
    guard let info = info else { return print(error as Any) }
    print(info.operation == ActionCodeOperation.verifyEmail, info.email)
    Auth.auth().applyActionCode(
      code,
      completion: { error in
        print("applied:", error == nil)
        Auth.auth().applyActionCode(code) { error in
          print("twice:", (error as NSError?)?.code == AuthErrorCode.invalidActionCode.rawValue)
        }
      })
  }
}

let actionCodes = FirebaseProgram(
  "codes of messages", prints: "verifies an address", "true codes2@example.com", "applied: true", "twice: true"
) {
  let user = try await Auth.auth().createUser(withEmail: "codes2@example.com", password: "correct horse").user
  let settings = ActionCodeSettings()
  settings.url = URL(string: "https://example.com/done")
  settings.setIOSBundleID("com.example.ios")
  try await user.sendEmailVerification(with: settings)
  open(await Mailbox.shared.link(to: "codes2@example.com"))
}

private func sendLink(to email: String) {
  let actionCodeSettings = ActionCodeSettings()
  actionCodeSettings.url = URL(string: "https://example.com/finish")
  actionCodeSettings.handleCodeInApp = true
  actionCodeSettings.setIOSBundleID("com.example.ios")
  actionCodeSettings.setAndroidPackageName("com.example.android", installIfNotAvailable: false, minimumVersion: "12")
  Auth.auth().sendSignInLink(toEmail: email, actionCodeSettings: actionCodeSettings) { error in
    if let error = error {
      print(error.localizedDescription)
      return
    }
    print("Check your email for link")
  }
}

private func finish(_ email: String, _ link: String) {
  if Auth.auth().isSignIn(withEmailLink: link) {
    Auth.auth().signIn(withEmail: email, link: link) { user, error in
      print("user:", user?.user.email ?? "", error == nil)
    }
  }
}

let emailLink = FirebaseProgram(
  "a link that signs in", prints: "Check your email for link", "user: link@example.com true"
) {
  sendLink(to: "link@example.com")
  let link = await Mailbox.shared.link(to: "link@example.com")
  while Transcript.shared.lines.isEmpty { await Task.yield() }
  finish("link@example.com", link)
}

private func checkMethods(_ email: String) {
  Auth.auth().fetchSignInMethods(forEmail: email) { methods, error in
    if let error { return print(error) }
    print(methods ?? [], methods?.contains(EmailPasswordAuthSignInMethod) ?? false)
  }
}

let signInMethods = FirebaseProgram("the sign-in methods of an address", prints: "[\"password\"] true") {
  try await Project.makeUser("methods@example.com")
  checkMethods("methods@example.com")
}
